import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { Roundup } from "countersign/types";
import type { RoundupNews } from "../roundup-news.js";
import { type MailContent, timeText } from "./content.js";
import { withoutLinks } from "./without-links.js";

/** Why a mail about a roundup is sent. */
export interface MailNews extends Omit<RoundupNews, "occasion"> {
  occasion: RoundupNews["occasion"] | "first" | "over";
}

const maxTools = 5;
const maxListed = 10;
const maxText = 300;

/**
 * Lists the calls first that no mail has reported yet.
 *
 * @param firstCalls The number of calls in the first mail, which all subjects of the thread name, because some mail
 *   programs split a thread where the subject differs.
 */
export function roundupContent(
  roundup: Roundup,
  { occasion, further }: MailNews,
  { firstCalls, isFirst }: { firstCalls: number; isFirst: boolean },
): MailContent {
  const { open, closed, highRisk, oldest, url } = roundup;
  const added = new Set(further.map(({ card }) => card.approvalId));
  const known = roundup.calls.filter(({ approvalId }) => !added.has(approvalId));
  const listed = [
    ...further.map(({ card }) => [`New, ${card.risk} risk`, short(card.summary)] as const),
    ...known.map((card) => [`${card.risk} risk`, short(card.summary)] as const),
  ].slice(0, maxListed);
  const more = open - listed.length;
  const subject = `Approval needed: ${callsOf(firstCalls)}`;
  const facts: (readonly [string, string | null])[] = [
    ["High or critical risk", open > 0 && highRisk > 0 ? callsOf(highRisk) : null],
    ["Oldest since", oldest === null ? null : timeText(oldest)],
    ["Over", open > 0 && closed > 0 ? callsOf(closed) : null],
  ];
  return {
    subject: isFirst ? subject : `Re: ${subject}`,
    heading: headingOf(roundup, occasion),
    summary: open > 0 ? toolWords(roundup) : "Nothing of this thread waits for a decision any more.",
    facts: facts.flatMap(([name, text]) => (text === null ? [] : [[name, text] as const])),
    fieldsTitle: "Waiting calls",
    fields: listed,
    notes: more > 0 ? [`The inbox shows ${more} more.`] : [],
    action: open > 0 ? "Read the calls and decide in the inbox" : "Open the inbox",
    url,
    footer:
      "These calls were announced at about the same time, so you get one mail for all of them, and one when all are over. The inbox asks you to sign in. Nobody can decide by mail, and replies are not read.",
  };
}

function headingOf({ open, closed }: Roundup, occasion: MailNews["occasion"]): string {
  if (open === 0) return closed === 1 ? "The call is over" : `All ${closed} calls are over`;
  const wait = `${callsOf(open)} ${open === 1 ? "waits" : "wait"} for a decision`;
  return occasion === "reminded"
    ? `Reminder: ${wait}`
    : occasion === "escalated"
      ? `Escalated: ${wait}`
      : wait;
}

function toolWords({ tools }: Roundup): string {
  const named = tools.slice(0, maxTools).map(({ name, calls }) => `${calls} × ${short(name)}`);
  const others = tools.slice(maxTools).reduce((total, { calls }) => total + calls, 0);
  return [...named, ...(others > 0 ? [`${others} of other tools`] : [])].join(", ");
}

const short = (text: string): string => withoutLinks(visibleText(text, maxText));
const callsOf = (count: number): string => `${count} ${count === 1 ? "call" : "calls"}`;
