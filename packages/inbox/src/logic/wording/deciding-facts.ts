import { countText } from "@countersign/policy/display";
import type { Approval } from "../../api/approval.js";
import { words } from "../../words/words.js";
import { earlierCallText } from "./earlier-call.js";
import { historyParts } from "./history-text.js";
import { unchangedText } from "./unchanged-text.js";

/** What should stop a hand before it approves. */
export interface DecidingFact {
  text: string;
  /** The call that it speaks of. @default none */
  approvalId?: string;
}

/** More of them would be read less. The rest stands at its place, with everything else of its kind. */
const mostShown = 2;

/** The facts that could change the decision about a call that waits, the weightiest first. `meId` is the reader. */
export function decidingFacts(approval: Approval, nowMs: number, meId: string | undefined): DecidingFact[] {
  const { status, earlier, checks, counts, preview } = approval;
  if (status !== "pending") return [];
  const { failed } = words.detail.facts.checks;
  return [
    ...(earlier ? [{ text: earlierCallText(earlier, nowMs, meId), approvalId: earlier.approvalId }] : []),
    ...(preview?.effects ?? []).flatMap((effect) => unchangedText(effect) ?? []).map((text) => ({ text })),
    ...checks
      .filter(({ ok }) => !ok)
      .map(({ name, message }) => ({ text: `${failed}: ${name}${message === null ? "" : `: ${message}`}` })),
    ...counts
      .filter(({ exceeds }) => exceeds)
      .map((count) => ({ text: countText(count, words.display, approval) })),
    ...historyParts(approval)
      .filter(({ stands }) => stands)
      .map(({ text }) => ({ text })),
  ].slice(0, mostShown);
}
