import {
  type Reversible,
  reversibleMs,
  strictestReversible,
} from "@countersign/policy/internal/previews/reversible";
import type { Approval, ApprovalTerms } from "./approval.js";

/** Whether a call can be taken back, as its rules and its preview say; `null` if they do not. */
export function reversibleOf({ reversible, preview }: ApprovalTerms): Reversible | null {
  const ofPreview = preview && "reversible" in preview ? preview.reversible : null;
  return strictestReversible([reversible, ofPreview]);
}

/** Milliseconds after its end within which people may undo a call; `null`: at any time; 0: never. */
export function undoMs(terms: ApprovalTerms): number | null {
  const reversible = reversibleOf(terms);
  if (!terms.undoable || reversible === null) return 0;
  const ms = reversibleMs(reversible);
  return Number.isFinite(ms) ? ms : null;
}

/** Until when people may undo a call that has run; `null`: at any time; `undefined`: not at all. */
export function undoUntil(call: Approval): Date | null | undefined {
  const ms = undoMs(call.terms);
  if (ms === 0 || call.status !== "executed" || call.undoneAt !== null || !call.finishedAt) return undefined;
  return ms === null ? null : new Date(call.finishedAt.getTime() + ms);
}

/** Why a call cannot be undone, whatever the time; `undefined` if it can. The store compares the time. */
export function whyNotUndoable(call: Approval, earlier: Approval | undefined): string | undefined {
  const { status, terms, undoneAt } = call;
  if (undoneAt !== null) return "This call has been undone already";
  if (status === "interrupted" || status === "executing") {
    return "Nobody knows how far this call got, so it cannot be undone. Check its effect first";
  }
  if (status !== "executed") return "This call has not run, so there is nothing to undo";
  if (!terms.undoable) return "Its tool has no undo. Take it back by hand";
  const reversible = reversibleOf(terms);
  if (reversible === null) return "No rule and no preview says that this call can be taken back";
  if (reversibleMs(reversible) === 0)
    return "Its rules or its preview say that this call cannot be taken back";
  if (earlier?.status === "executing") return "Its undo is running";
  if (earlier?.status === "interrupted" && earlier.resolution?.outcome !== "failed") {
    return "Its undo was interrupted, and may have happened. Check the effect first";
  }
  return undefined;
}
