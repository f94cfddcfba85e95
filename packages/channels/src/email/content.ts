import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { cutText } from "@countersign/policy/internal/shared/engine-text";
import type { Card, Delivery, DeliveryEvent } from "countersign/types";
import { hiddenNames, toolText } from "../card-names.js";
import { withoutLinks, withoutLinksInPaths } from "./without-links.js";

/** What a mail says, before it becomes plain text or HTML. Only `url` is a link. */
export interface MailContent {
  subject: string;
  heading: string;
  summary: string;
  facts: readonly (readonly [name: string, text: string])[];
  /** The heading above the fields. */
  fieldsTitle: string;
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

const headings: Partial<Record<DeliveryEvent, string>> = {
  "approval.reminded": "Reminder: a decision is still needed",
  "approval.escalated": "Escalated: a decision is still needed",
  "approval.assigned": "Assigned: a decision is needed",
};

export function mailContent(delivery: Delivery, withArguments: boolean): MailContent {
  const { event, card } = delivery;
  const fields = withArguments ? card.fields.slice(0, maxFields) : [];
  const isShortened =
    withArguments && (card.fields.length > maxFields || fields.some(({ text }) => text.length > maxValue));
  return {
    subject: subjectOf(delivery),
    heading: headingOf(event, card),
    summary: shortened(card.summary),
    facts: factsOf(card),
    fieldsTitle: "Arguments",
    fields: fields.map(({ name, label, text }) => [argumentText(name, label), shortened(text)] as const),
    notes: [
      ...(card.undoes === null ? [] : [shortened(card.undoes.text)]),
      ...(withArguments && card.codePreview !== null ? [shortened(card.codePreview)] : []),
      ...card.warnings.slice(0, maxNotes).map((text) => `Warning: ${withPaths(text)}`),
      ...(withArguments ? effectsOf(card) : []),
      ...(withArguments ? card.counts.map((text) => `Counted over time: ${shortened(text)}`) : []),
      ...(card.noPreview === null ? [] : [`Warning: ${shortened(card.noPreview)}`]),
      ...card.checks.map(({ ok, text }) => `Safety check ${ok ? "passed" : "failed"}: ${shortened(text)}`),
      ...(withArguments && card.hiddenFields.length > 0
        ? [`Hidden: ${cut(hiddenTexts(card).join(", "))}`]
        : []),
      ...(isShortened ? ["The arguments are shortened here. The inbox shows all of them."] : []),
    ],
    action: card.open ? "Read the whole call and decide in the inbox" : "Open it in the inbox",
    url: card.url,
    footer:
      "The inbox asks you to sign in. Nobody can decide by mail, and replies are not read. Addresses in the call's own texts are written so that they are no links.",
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

function headingOf(event: DeliveryEvent, { open, outcome }: Card): string {
  if (open) return headings[event] ?? "A decision is needed";
  return outcome ? shortened(outcome.text) : "A decision is no longer needed";
}

function factsOf(card: Card): (readonly [string, string])[] {
  const { outcome, quorum } = card;
  const facts: (readonly [string, string | null])[] = [
    ["Tool", toolText(card)],
    ["Agent", card.agentName],
    ["Risk", card.risk],
    ["Requested by", card.requesterName],
    ["Why", card.reasons.join("; ")],
    ["Who decides", card.open ? card.whoDecides : null],
    ["Escalated to", card.open ? card.escalatedTo : null],
    ["Assigned to", card.open ? card.assigneeName : null],
    ["Votes", card.open && outcome ? outcome.text : null],
    ["Approvals", card.open && quorum.required > 1 ? `${quorum.approved} of ${quorum.required}` : null],
    ["Expires", card.open && card.expiresAt ? timeText(card.expiresAt) : null],
    ["Decided by", outcome?.by ?? null],
    ["Reason", outcome?.reason ?? null],
    ["At", outcome && !card.open ? timeText(outcome.at) : null],
    ["Undo", undoOf(card)],
  ];
  return facts.flatMap(([name, text]) => (text ? [[name, shortened(text)] as const] : []));
}

/** For how long people may undo the call, or until when. */
function undoOf({ undo }: Card): string | null {
  if (undo === null || undo.undoneAt !== null) return null;
  if (!undo.possible) return undo.until === null ? undo.text : null;
  return undo.until === null ? "May be undone at any time" : `May be undone until ${timeText(undo.until)}`;
}

/** What the call would change. Each line begins with words of the mail. */
function effectsOf({ effects, reversible }: Card): string[] {
  const lines = effects.map((text) => `Would change: ${shortened(text)}`);
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
