import type { Approval } from "../../approval/approval.js";
import type { CallSeen } from "../call-seen.js";
import { validUntil } from "../changes.js";
import type { CallEnd } from "../ports/approval-port.js";
import { undoEnd } from "../request/undo.js";
import { approvalFromRow } from "../rows/approval-row.js";
import type { Guess, Judgement } from "../verb.js";
import { entryOfMove, moved } from "./moved.js";

/** Ends a call that has started. Of any other call, nothing changes. */
export function judgeFinish(seen: CallSeen | undefined, end: CallEnd): Judgement<Approval | undefined> {
  if (!seen || !mayEnd(seen.row, end)) return { result: seen && approvalFromRow(seen.row) };
  const { approval, change, entry } =
    end.status === "interrupted" ? moved(seen, "interrupted") : moved(seen, end.status, outcomeOf(end));
  const undone = end.status === "executed" ? undoEnd(approval, seen) : undefined;
  const { now } = seen;
  return {
    result: approval,
    changes: {
      ...{ tenantId: approval.tenantId, judgedAt: now, validUntil: validUntil(now) },
      approvals: [change, ...(undone ? [undone.change] : [])],
      audited: [entry, ...(undone ? [undone.entry] : [])],
    },
  };
}

/** The end of a call by whoever has claimed it: nothing but its status can keep it from ending. */
export function endOfClaimed(claimed: Approval, end: CallEnd): Guess<Approval> | undefined {
  // The call that an undo undoes changes with it, and is read first.
  if (end.status === "interrupted" || claimed.terms.undoes) return undefined;
  const { id } = claimed;
  const { status } = end;
  const outcome = outcomeOf(end);
  const set = { ...outcome, status, finishedAt: "now" as const };
  return {
    changes: {
      tenantId: claimed.tenantId,
      approvals: [{ id, status: "executing", set }],
      audited: [entryOfMove(claimed, status, outcome)],
    },
    written: (finishedAt) => ({ ...claimed, ...outcome, status, finishedAt }),
  };
}

function outcomeOf({ outcomeJson, outcomeToken = null }: Exclude<CallEnd, { status: "interrupted" }>) {
  return { outcomeJson, outcomeToken };
}

/** Only the run that started a call may say that it was interrupted. */
function mayEnd({ status, startedBy }: CallSeen["row"], end: CallEnd): boolean {
  if (status !== "executing") return false;
  return end.status !== "interrupted" || startedBy === null || startedBy === (end.startedBy ?? null);
}
