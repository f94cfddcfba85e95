import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { RoundupDelivery } from "countersign/types";
import { roundupTitle, toolWords } from "../roundup-words.js";
import { type MailContent, timeText } from "./content.js";
import { withoutLinks } from "./without-links.js";

const maxText = 300;

/** What a mail says about many calls. */
export function roundupContent(delivery: RoundupDelivery, withArguments: boolean): MailContent {
  const { calls, highRisk, oldest, url } = delivery.roundup;
  const facts: (readonly [string, string])[] = [
    ...(highRisk > 0 ? [["High or critical risk", callsOf(highRisk)] as const] : []),
    ...(oldest === null ? [] : [["Oldest since", timeText(oldest)] as const]),
  ];
  return {
    subject: `Approval needed: ${calls} more ${calls === 1 ? "call" : "calls"}`,
    heading: roundupTitle(delivery),
    summary: toolWords(delivery.roundup, short, { withSums: withArguments }),
    facts,
    fieldsTitle: "",
    fields: [],
    notes: [],
    action: "Read the calls and decide in the inbox",
    url,
    footer:
      "Many calls came within a short time, so you get one mail for those that have no mail of their own. The inbox asks you to sign in. Nobody can decide by mail, and replies are not read.",
  };
}

const short = (text: string): string => withoutLinks(visibleText(text, maxText));
const callsOf = (count: number): string => `${count} ${count === 1 ? "call" : "calls"}`;
