import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import type { Card, Delivery, DeliveryEvent } from "countersign/types";
import { hiddenNames, riskText, toolText } from "../card-names.js";
import { withoutLinks, withoutLinksInPaths } from "./without-links.js";

/** What a mail says, before it becomes plain text or HTML. Only `url` and `links` are links. */
export interface MailContent {
  subject: string;
  /** The sentence that says what it is about. */
  heading: string;
  /** What the reader has to know before the rest. */
  summary: string;
  /** Lines with an address each, such as one for the refunds. */
  links: readonly { text: string; url: string | null }[];
  /** What could mislead the reader. */
  warnings: readonly string[];
  facts: readonly (readonly [name: string, text: string])[];
  fields: readonly (readonly [name: string, text: string])[];
  notes: readonly string[];
  /** What the link is for. */
  action: string;
  url: string | null;
  footer: string;
}

const maxSubject = 140;
const maxValue = 1_000;
const maxFields = 40;
const maxNotes = 20;

const occasions: Partial<Record<DeliveryEvent, string>> = {
  "approval.reminded": "Reminder",
  "approval.escalated": "Escalated",
  "approval.assigned": "Assigned",
};

/** What every mail says at its end. */
export const mailFooter =
  "The inbox asks you to sign in. Nobody can decide by mail, and replies are not read. Web addresses are written with [.] so that nobody opens one by mistake.";

export function mailContent(delivery: Delivery, withArguments: boolean, now = new Date()): MailContent {
  const { card } = delivery;
  const fields = withArguments ? card.fields.slice(0, maxFields) : [];
  const isShortened =
    withArguments && (card.fields.length > maxFields || fields.some(({ text }) => text.length > maxValue));
  return {
    subject: subjectOf(delivery),
    heading: shortened(card.summary),
    summary: lineOf(delivery, now),
    links: [],
    warnings: [
      ...card.warnings.slice(0, maxNotes).map((text) => `Warning: ${withPaths(text)}`),
      ...(card.noPreview === null ? [] : [`Warning: ${shortened(card.noPreview)}`]),
    ],
    facts: factsOf(card),
    fields: fields.map(({ name, label, text }) => [argumentText(name, label), shortened(text)] as const),
    notes: [
      ...(card.undoes === null ? [] : [shortened(card.undoes.text)]),
      ...(withArguments && card.codePreview !== null ? [shortened(card.codePreview)] : []),
      ...(withArguments ? effectsOf(card) : []),
      ...(withArguments ? card.counts.map((text) => `Limit: ${shortened(text)}`) : []),
      ...card.checks.map(({ ok, text }) => `Safety check ${ok ? "passed" : "failed"}: ${shortened(text)}`),
      ...(withArguments && card.hiddenFields.length > 0
        ? [`Hidden: ${cut(hiddenTexts(card).join(", "))}`]
        : []),
      ...(isShortened ? ["Some values are shortened here. The inbox shows all of them."] : []),
    ],
    action: card.open ? "Review in the inbox" : "Open in the inbox",
    url: card.url,
    footer: `You get this because requests for ${shortened(card.whoDecides)} are sent to this address. ${mailFooter}`,
  };
}

/**
 * The subject of a mail. It is the same in every mail of a thread, because some mail programs split a thread where it
 * differs. If the call is already over at the first mail, for example because the policy only reports it, the subject
 * asks for nothing.
 */
function subjectOf({ event, card, reference }: Delivery): string {
  const isFirst = reference === null || event === "approval.pending";
  const asked = card.open || !isFirst;
  const heading = asked ? "Approval needed" : "For your information";
  const subject = visibleText(`${heading}: ${withoutLinks(card.summary)}`, maxSubject);
  return isFirst ? subject : `Re: ${subject}`;
}

/** "High risk · finance decides · until 12:30 UTC (28 min)", or how it ended. */
function lineOf({ event, card }: Delivery, now: Date): string {
  const { open, outcome, expiresAt, quorum } = card;
  if (!open) return outcome ? shortened(outcome.text) : "A decision is no longer needed";
  const parts = [
    occasions[event],
    riskText(card),
    `${shortened(card.whoDecides)} decides`,
    quorum.required > 1 ? `${quorum.approved} of ${quorum.required} approved` : null,
    expiresAt && `until ${untilText(expiresAt, now)}`,
  ];
  return parts.filter(Boolean).join(" · ");
}

function factsOf(card: Card): (readonly [string, string])[] {
  const { outcome } = card;
  const facts: (readonly [string, string | null])[] = [
    ["Why", card.reasons.join("; ")],
    ["Asked for by", card.requesterName],
    ["Agent", card.agentName],
    ["Tool", toolText(card)],
    ["Escalated to", card.open ? card.escalatedTo : null],
    ["Assigned to", card.open ? card.assigneeName : null],
    ["Votes", card.open && outcome ? outcome.text : null],
    ["Decided by", outcome?.by ?? null],
    ["Reason", outcome?.reason ?? null],
    ["At", outcome && !card.open ? timeText(outcome.at) : null],
    ["Undo", undoOf(card)],
  ];
  return facts.flatMap(([name, text]) => (text ? [[name, shortened(text)] as const] : []));
}

/** For how long people may undo it, or until when. */
function undoOf({ undo }: Card): string | null {
  if (undo === null || undo.undoneAt !== null) return null;
  if (!undo.possible) return undo.until === null ? undo.text : null;
  return undo.until === null ? "May be undone at any time" : `May be undone until ${timeText(undo.until)}`;
}

/** What it would change. Each line begins with words of the mail. */
function effectsOf({ effects, reversible }: Card): string[] {
  const lines = effects.map((text) => `Effect: ${shortened(text)}`);
  return reversible === null ? lines : [...lines, shortened(reversible)];
}

const cut = (text: string): string => (text.length > maxValue ? `${cutText(text, maxValue)}…` : text);
const shortened = (text: string): string => withoutLinks(cut(text));
/** A text that names arguments by their paths. */
const withPaths = (text: string): string => withoutLinksInPaths(cut(text));

const argumentText = (path: string, label: string | undefined): string =>
  label === undefined ? withPaths(path) : shortened(label);
const hiddenTexts = (card: Card): string[] =>
  hiddenNames(card).map(({ path, label }) => argumentText(path, label));

const timeFormat = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});

/** A time in words, for readers in any zone. */
export function timeText(time: Date): string {
  return `${timeFormat.format(time)} UTC`;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/** "12:30 UTC (28 min)": a time that a mail sent at `now` names, with its day if that is another one. */
function untilText(time: Date, now: Date): string {
  const isToday = time.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  const at = isToday ? `${time.toISOString().slice(11, 16)} UTC` : timeText(time);
  const minutes = Math.floor((time.getTime() - now.getTime()) / minuteMs);
  if (minutes < 1) return at;
  const left =
    minutes < 120
      ? `${minutes} min`
      : minutes < 2 * dayMinutes
        ? `${Math.floor(minutes / 60)} h`
        : `${Math.floor(minutes / dayMinutes)} days`;
  return `${at} (${left})`;
}
