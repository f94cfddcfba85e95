import type { WithdrawalCause } from "@countersign/policy/internal/display/withdrawal-text";
import { statusesBefore } from "@countersign/policy/internal/shared/approval-status";
import { and, asc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { HandlerKind } from "../../approval/handler-kind.js";
import { audit } from "../audit/audit.js";
import { noticeOfThread } from "../connection/change-feed.js";
import { type Session, type Transaction, together } from "../database.js";
import type { RequestProgress, WakeUp } from "../ports/request-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, requests, threads } from "../schema.js";
import { judgingIn } from "../verb.js";
import { noHold } from "./end-holds.js";
import { lockRequest } from "./lock-request.js";
import { settle } from "./settle.js";
import { wakeUpIfComplete } from "./wake-up.js";

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
export async function withdrawEnded(
  session: Transaction,
  requestId: string,
  cause: WithdrawalCause,
): Promise<WakeUp | undefined> {
  const request = await lockRequest(session, requestId);
  if (!request) return undefined;
  await withdrawOpen(session, requestId, cause, cause === "superseded" ? ["proposed", "pending"] : undefined);
  if (cause !== "superseded") {
    // A handler that runs in one step may still be running and will record its end. A durable one ends with its run.
    const abandoned: HandlerKind[] = cause === "run_failed" ? ["once", "idempotent", "durable"] : ["durable"];
    await interruptStarted(session, requestId, abandoned);
  }
  // No run has begun to wait for this request. A run that does so later finds nothing to announce and ends its wait.
  if (request.rounds === 0) {
    await settle(judgingIn(session), requestId);
    return undefined;
  }
  // A lost run does not answer wake-ups, so the outbox must not repeat one. A run that was only slow needs one wake-up
  // to continue.
  if (cause === "run_lost") {
    await settle(judgingIn(session), requestId);
    return request.settledAt ? undefined : { requestId };
  }
  return wakeUpIfComplete(session, request);
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
export async function withdrawRequest(
  session: Transaction,
  requestId: string,
  cause: WithdrawalCause,
): Promise<RequestProgress> {
  await lockRequest(session, requestId);
  await withdrawOpen(
    session,
    requestId,
    cause,
    untrusted.includes(cause) ? undefined : ["proposed", "pending"],
  );
  return settle(judgingIn(session), requestId);
}

/** Ends the proposed calls of a request that no run has announced. */
export async function withdrawForgotten(session: Transaction, requestId: string): Promise<void> {
  const request = await lockRequest(session, requestId);
  // A run may have come after all, and waits now.
  if (!request || request.rounds > 0) return;
  await withdrawOpen(session, requestId, "run_lost", ["proposed"]);
  await settle(judgingIn(session), requestId);
}

async function withdrawOpen(
  session: Transaction,
  requestId: string,
  cause: WithdrawalCause,
  from = statusesBefore("withdrawn"),
): Promise<void> {
  const rows = await session.db
    .update(approvals)
    .set({ status: "withdrawn", withdrawalCause: cause, finishedAt: session.now, ...noHold })
    .where(and(eq(approvals.requestId, requestId), hasStatus(...from)))
    .returning();
  for (const row of rows) {
    audit(session, {
      tenantId: row.tenantId,
      approvalId: row.id,
      type: "approval.withdrawn",
      notify: row.notify,
      data: { cause },
    });
  }
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

async function interruptStarted(
  session: Transaction,
  requestId: string,
  kinds: readonly HandlerKind[],
): Promise<void> {
  const rows = await session.db
    .update(approvals)
    .set({ status: "interrupted", finishedAt: session.now })
    .where(
      and(
        eq(approvals.requestId, requestId),
        hasStatus("executing"),
        inArray(approvals.handlerKind, [...kinds]),
      ),
    )
    .returning();
  for (const row of rows) {
    const { tenantId, id: approvalId, notify } = row;
    audit(session, { tenantId, approvalId, type: "approval.interrupted", notify });
  }
}
