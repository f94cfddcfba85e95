import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import type { RequestProgress, Settlement } from "../ports/request-port.js";
import { type RequestDraft, requestReading } from "../request-seen.js";
import { approvalFromRow } from "../rows/approval-row.js";
import type { Judge } from "../verb.js";
import { applyEscalation, msToNextStep } from "./apply-escalation.js";
import { expireOverdue } from "./expire-overdue.js";
import { beginRound, queueIfComplete } from "./wake-up.js";

const nothing: RequestProgress = { approvals: [], open: 0, nextDeadlineMs: 0 };

/** `round`: the round the caller waited in. If a later round has begun, the request is not settled yet. */
export function settle(judging: Judge, requestId: string, round: number): Promise<Settlement> {
  return judging(requestReading(requestId), (request) => {
    const result = settleRequest(request, round);
    return { result, changes: request?.changes() };
  });
}

/** The same with a request that was read. @param round By default, whatever round has begun. */
export function settleRequest(
  request: RequestDraft | undefined,
  round = Number.POSITIVE_INFINITY,
): Settlement {
  if (!request) return { ...nothing, settled: true };
  expireOverdue(request);
  const settled = settleIfComplete(request, round);
  return { ...progressOf(request), settled };
}

function settleIfComplete(request: RequestDraft, round: number): boolean {
  if (!request.isComplete) return false;
  if (request.row.settledAt) return true;
  if (request.row.rounds > round + 1) {
    // This may have ended the last open call, for which a later round waits.
    queueIfComplete(request);
    return false;
  }
  request.change({ settledAt: request.now, wakeUp: "answered" });
  return true;
}

export function peek(judging: Judge, requestId: string, round: number): Promise<RequestProgress> {
  return judging(requestReading(requestId), (request) => {
    if (!request) return { result: nothing };
    expireOverdue(request);
    applyEscalation(request);
    queueIfComplete(request);
    beginRound(request, round);
    return { result: progressOf(request), changes: request.changes() };
  });
}

function progressOf({ calls, now }: RequestDraft): RequestProgress {
  const open = calls.filter(({ row }) => isOpen(row.status));
  const next = Math.min(...open.map(({ row }) => msToNextStep(row, now)));
  return {
    approvals: calls.map(({ row }) => approvalFromRow(row)),
    open: open.length,
    nextDeadlineMs: open.length === 0 ? 0 : Math.max(0, Math.ceil(next)),
  };
}
