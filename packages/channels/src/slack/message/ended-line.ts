import type { ApprovalStatus } from "countersign";
import type { Card } from "countersign/types";
import { shownText } from "./plain-text.js";

const marks: Record<ApprovalStatus, string> = {
  proposed: "⏳",
  pending: "⏳",
  approved: "✅",
  denied: "⛔",
  responded: "💬",
  expired: "⌛",
  withdrawn: "🚫",
  executing: "✅",
  executed: "✅",
  failed: "⚠️",
  interrupted: "⚠️",
};

/** What happened, for a card that does not say it: one whose decision is not recorded. */
const statusWords: Record<ApprovalStatus, string> = {
  proposed: "Closed",
  pending: "Closed",
  approved: "Approved",
  denied: "Denied",
  responded: "Answered",
  expired: "Expired",
  withdrawn: "Withdrawn",
  executing: "Approved. It is running",
  executed: "Approved. It ran",
  failed: "Approved. It ran and failed",
  interrupted: "Approved. It was interrupted and may have run",
};

/** "✅ Refund 240.00 EUR for order A-1005 · Anna Weber": a request that is over, and how it ended. */
export function endedLine(card: Card, maxSummary: number): string {
  const { status, undo, outcome } = card;
  const mark = undo?.undoneAt ? "↩️" : marks[status];
  const reason = outcome?.reason == null ? "" : `: ${shownText(outcome.reason, 1000).text}`;
  return `${mark} ${shownText(card.summary, maxSummary).text} · ${how(card)}${reason}`;
}

/** The names of those who approved it, if all else is as usual: the mark says so. */
function how({ status, verdict, outcome }: Card): string {
  const words = outcome === null ? statusWords[status] : shownText(outcome.text, 500).text;
  if (verdict === "notify") return `Nobody was asked. ${words}`;
  const by = outcome?.by;
  return status === "executed" && by != null && outcome?.text === `Approved by ${by}. It ran`
    ? shownText(by, 500).text
    : words;
}
