import { inQuotes } from "@countersign/policy/internal/display/summary-part";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { durationWords } from "@countersign/policy/internal/shared/duration";
import type { Approval } from "../../approval/approval.js";
import { reversibleOf, undoMs, undoUntil, whyNotUndoable } from "../../approval/undo-window.js";
import type { CardUndo, CardUndoes } from "../../channel/channel.js";
import type { ReadForCard } from "../../store/ports/delivery-port.js";
import type { NameOf } from "./card-people.js";

const maxTool = 120;
const maxReason = 500;

/** Where a card is, and whether it shows the whole call: nobody undoes there what they cannot read there. */
interface UndoPlace {
  channel: string;
  isWhole: boolean;
}

/** Whether and until when people may undo a call; `null` if nobody can, or if it ended without having run. */
export function cardUndo(
  { approval, undo, now }: Pick<ReadForCard, "approval" | "undo" | "now">,
  { channel, isWhole }: UndoPlace,
): CardUndo | null {
  const { status, terms, undoId, undoneAt } = approval;
  const ms = undoMs(terms);
  const hasRunOrMay = isOpen(status) || ["approved", "executing", "executed"].includes(status);
  if (ms === 0 || !hasRunOrMay) return null;
  const reversible = reversibleOf(terms);
  const until = undoUntil(approval) ?? null;
  const possible =
    whyNotUndoable(approval, undo ?? undefined) === undefined && (until === null || now < until);
  return {
    text: `It can be undone ${ms === null ? "at any time" : `for ${durationWords(ms)}`} after it ran.`,
    within: typeof reversible === "string" ? reversible : null,
    until,
    possible,
    offered: possible && isWhole && terms.decideIn.includes(channel),
    undoId,
    undoneAt,
  };
}

/** Which call this one undoes, and who asked for that; `null` if it undoes none. */
export function cardUndoes({ terms, toolName }: Approval, nameOf: NameOf): CardUndoes | null {
  const { undoes } = terms;
  if (undoes === null) return null;
  const { approvalId, askedBy, reason } = undoes;
  const tool = visibleText(toolName.replace(/\.undo$/, ""), maxTool);
  const why = reason ? `: ${inQuotes(visibleText(reason, maxReason))}` : "";
  return {
    approvalId,
    text: `Undoes the request ${approvalId} (${tool}). ${nameOf(askedBy)} asked for it${why}`,
  };
}

/** What became of the latest wish to undo a call, as a sentence: "Undone by Ada". Empty if nothing. */
export function undoWords(undo: Approval | null, undoneAt: Date | null, nameOf: NameOf): string {
  const asker = undo?.terms.undoes?.askedBy;
  if (!undo || asker === undefined) return "";
  // A person may have found out that an interrupted undo has happened.
  if (undoneAt !== null) return `Undone by ${nameOf(undo.resolution?.resolvedBy ?? asker)}`;
  const { status } = undo;
  if (isOpen(status) || status === "approved" || status === "executing")
    return `${nameOf(asker)} asked to undo it`;
  if (status === "failed") return "Its undo failed";
  return status === "interrupted" ? "Its undo was interrupted and may have happened" : "";
}
