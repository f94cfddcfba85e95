import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import {
  type ApprovalStatus,
  isOpen,
  statusesBefore,
} from "@countersign/policy/internal/shared/approval-status";
import { and, asc, eq, isNull, ne, sql } from "drizzle-orm";
import type { HandlerKind } from "../../approval/handler-kind.js";
import { audit } from "../audit/audit.js";
import { noticeOfThread } from "../connection/change-feed.js";
import { type Session, type Transaction, together } from "../database.js";
import type { RequestProgress, WakeUp } from "../ports/request-port.js";
import { type RequestDraft, requestReading } from "../request-seen.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, requests, threads } from "../schema.js";
import type { Judge } from "../verb.js";
import { withdraw } from "./end-holds.js";
import { settleRequest } from "./settle.js";
import { queueIfComplete } from "./wake-up.js";

/** The requests of a run, in the order in which all transactions lock them. */
export async function requestsOfRun({ db }: Session, runId: string): Promise<string[]> {
  const rows = await db
    .select({ id: requests.id })
    .from(requests)
    .where(eq(requests.runId, runId))
    .orderBy(asc(requests.id));
  return rows.map(({ id }) => id);
}

/** The runs that this one invoked and that have made requests since. */
export async function runsInvokedBy({ db }: Session, runId: string): Promise<string[]> {
  const rows = await db
    .selectDistinct({ runId: requests.runId })
    .from(requests)
    .where(eq(requests.parentRunId, runId))
    .orderBy(asc(requests.runId));
  return rows.flatMap((row) => (row.runId === null ? [] : [row.runId]));
}

/** Requests of a thread with pending calls, except those of one run. */
export async function openRequestsOfThread(
  { db }: Session,
  tenantId: string,
  threadId: string,
  keepRunId: string,
): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: approvals.requestId })
    .from(approvals)
    .where(
      and(
        eq(approvals.tenantId, tenantId),
        eq(approvals.threadId, threadId),
        hasStatus("proposed", "pending"),
        ne(approvals.runId, keepRunId),
      ),
    )
    .orderBy(asc(approvals.requestId));
  return rows.map(({ id }) => id);
}

/**
 * Ends all calls of one request whose run has ended: those that have not started, and those that no run will finish.
 */
export function withdrawEnded(
  judging: Judge,
  requestId: string,
  cause: WithdrawalCause,
): Promise<WakeUp | undefined> {
  return judging(requestReading(requestId), (request) => {
    const result = request && endWithRun(request, cause);
    return { result, changes: request?.changes() };
  });
}

function endWithRun(request: RequestDraft, cause: WithdrawalCause): WakeUp | undefined {
  const { id: requestId, rounds, settledAt } = request.row;
  withdrawCalls(request, cause, cause === "superseded" ? isOpen : isUnstarted);
  if (cause !== "superseded") {
    // A handler that runs in one step may still be running and will record its end. A durable one ends with its run.
    interruptStarted(request, cause === "run_failed" ? ["once", "idempotent", "durable"] : ["durable"]);
  }
  // No run has begun to wait for this request. A run that does so later finds nothing to announce and ends its wait.
  if (rounds === 0) {
    settleRequest(request);
    return undefined;
  }
  // A lost run does not answer wake-ups, so the outbox must not repeat one. A run that was only slow needs one wake-up
  // to continue.
  if (cause === "run_lost") {
    settleRequest(request);
    return settledAt ? undefined : { requestId };
  }
  return queueIfComplete(request);
}

export async function failThreadOf({ db, now }: Session, runId: string): Promise<void> {
  const failed = await db
    .update(threads)
    .set({ status: "failed", updatedAt: now })
    .where(eq(threads.runId, runId))
    .returning({ tenantId: threads.tenantId, id: threads.id });
  await together(failed.map(({ tenantId, id }) => db.execute(sql`select ${noticeOfThread(tenantId, id)}`)));
}

/** Causes for which no call of a request may run: the run did not propose these rows, or cannot tell whether it did. */
const untrusted: readonly WithdrawalCause[] = ["digest_changed", "policy_changed", "tool_changed"];

/** Ends the open calls of one request; also approved ones if its rows cannot be trusted. */
export function withdrawRequest(
  judging: Judge,
  requestId: string,
  cause: WithdrawalCause,
): Promise<RequestProgress> {
  return judging(requestReading(requestId), (request) => {
    if (request) withdrawCalls(request, cause, untrusted.includes(cause) ? isUnstarted : isOpen);
    const result = settleRequest(request);
    return { result, changes: request?.changes() };
  });
}

/** Ends the proposed calls of a request that no run has announced. */
export function withdrawForgotten(judging: Judge, requestId: string): Promise<void> {
  return judging(requestReading(requestId), (request) => {
    // A run may have come after all, and waits now.
    if (!request || request.row.rounds > 0) return { result: undefined };
    withdrawCalls(request, "run_lost", (status) => status === "proposed");
    settleRequest(request);
    return { result: undefined, changes: request.changes() };
  });
}

/** Whether the call waits, or is approved. */
function isUnstarted(status: ApprovalStatus): boolean {
  return statusesBefore("withdrawn").includes(status);
}

function withdrawCalls(
  request: RequestDraft,
  cause: WithdrawalCause,
  which: (status: ApprovalStatus) => boolean,
): void {
  for (const call of request.calls) if (which(call.row.status)) withdraw(request, call, cause);
}

/**
 * Ends a tenant's approved calls that no run waits for. After a restore, nothing else knows whether they were used since
 * the backup. Calls with a run are compared with the engine instead.
 */
export async function withdrawRestored(
  session: Transaction,
  tenantId: string,
  by: string | null,
): Promise<number> {
  const { db, now } = session;
  const cause: WithdrawalCause = "restored";
  const rows = await db
    .update(approvals)
    .set({ status: "withdrawn", withdrawalCause: cause, finishedAt: now })
    .where(and(eq(approvals.tenantId, tenantId), hasStatus("approved"), isNull(approvals.runId)))
    .returning();
  for (const { id: approvalId, notify } of rows) {
    audit(session, {
      tenantId,
      approvalId,
      type: "approval.withdrawn",
      notify,
      actorId: by,
      data: { cause },
    });
  }
  const data = { withdrawn: rows.length };
  audit(session, { tenantId, approvalId: null, type: "database.restored", actorId: by, data });
  return rows.length;
}

function interruptStarted(request: RequestDraft, kinds: readonly HandlerKind[]): void {
  for (const call of request.calls) {
    const { status, handlerKind, tenantId, id: approvalId, notify } = call.row;
    if (status !== "executing" || !handlerKind || !kinds.includes(handlerKind)) continue;
    call.change({ status: "interrupted", finishedAt: request.now });
    request.audited.push({ tenantId, approvalId, type: "approval.interrupted", notify });
  }
}
