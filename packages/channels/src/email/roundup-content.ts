import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { RoundupDelivery } from "countersign/types";
import { roundupLines, roundupTitle } from "../roundup-words.js";
import { type MailContent, mailFooter, timeText } from "./content.js";
import { withoutLinks } from "./without-links.js";

const maxText = 300;

/** What a mail says about many requests. */
export function roundupContent(delivery: RoundupDelivery, withArguments: boolean): MailContent {
  const { calls, highRisk, oldest, url } = delivery.roundup;
  const lines = roundupLines(delivery.roundup, short, { withSums: withArguments });
  const facts: (readonly [string, string])[] = [
    ...(highRisk > 0 ? [["High or critical risk", String(highRisk)] as const] : []),
    ...(oldest === null ? [] : [["Oldest since", timeText(oldest)] as const]),
  ];
  return {
    subject: `Approval needed: ${calls} more ${calls === 1 ? "request" : "requests"}`,
    heading: `${roundupTitle(delivery)}: ${lines.map(({ text }) => text).join(", ")}`,
    summary: "",
    links: lines,
    warnings: [],
    facts,
    fields: [],
    notes: [],
    action: "Review in the inbox",
    url,
    footer: `You get this because many requests came within a short time: one mail is about all that have no mail of their own. ${mailFooter}`,
  };
}

const short = (text: string): string => withoutLinks(visibleText(text, maxText));
