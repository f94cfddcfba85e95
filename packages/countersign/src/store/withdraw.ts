import { and, asc, eq, inArray, ne } from "drizzle-orm";
import type { WithdrawalCause } from "../approval/approval.js";
import type { HandlerKind } from "../approval/handler-kind.js";
import { statusesBefore } from "../approval/status.js";
import { audit } from "./audit.js";
import type { Session, Transaction } from "./database.js";
import { lockRequest, settle, wakeUpIfComplete } from "./request.js";
import { approvals, requests, threads } from "./schema.js";
import type { RequestProgress, WakeUp } from "./store.js";

/** The requests of a run, in the order in which everybody takes them. */
export async function requestsOfRun({ db }: Session, runId: string): Promise<string[]> {
  const rows = await db
    .select({ id: requests.id })
    .from(requests)
    .where(eq(requests.runId, runId))
    .orderBy(asc(requests.id));
  return rows.map(({ id }) => id);
}

/** Requests of a thread, but for one run's, that have calls which wait. */
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
        inArray(approvals.status, ["proposed", "pending"]),
        ne(approvals.runId, keepRunId),
      ),
    )
    .orderBy(asc(approvals.requestId));
  return rows.map(({ id }) => id);
}

/** Ends everything of one request of an ended run: what has not started, and what nobody will bring to an end. */
export async function withdrawEnded(
  session: Transaction,
  requestId: string,
  cause: WithdrawalCause,
): Promise<WakeUp | undefined> {
  const request = await lockRequest(session, requestId);
  if (!request) return undefined;
  await withdrawOpen(session, requestId, cause, cause === "superseded" ? ["proposed", "pending"] : undefined);
  if (cause !== "superseded") {
    // A handler in one step may still be running and record its end. A durable one lives and dies with its run.
    const abandoned: HandlerKind[] = cause === "run_failed" ? ["once", "idempotent", "durable"] : ["durable"];
    await interruptStarted(session, requestId, abandoned);
  }
  // No run has begun to wait for it, and a run that still begins to finds nothing to announce and ends its wait.
  if (request.rounds === 0) {
    await settle(session, requestId);
    return undefined;
  }
  return wakeUpIfComplete(session, request);
}

export async function failThreadOf({ db, now }: Session, runId: string): Promise<void> {
  await db.update(threads).set({ status: "failed", updatedAt: now }).where(eq(threads.runId, runId));
}

/** Ends what is open of one request, for a run that can no longer wait for it. */
export async function withdrawRequest(
  session: Transaction,
  requestId: string,
  cause: WithdrawalCause,
): Promise<RequestProgress> {
  await lockRequest(session, requestId);
  await withdrawOpen(session, requestId, cause, ["proposed", "pending"]);
  return settle(session, requestId);
}

async function withdrawOpen(
  session: Transaction,
  requestId: string,
  cause: WithdrawalCause,
  from = statusesBefore("withdrawn"),
): Promise<void> {
  const rows = await session.db
    .update(approvals)
    .set({ status: "withdrawn", withdrawalCause: cause, finishedAt: session.now })
    .where(and(eq(approvals.requestId, requestId), inArray(approvals.status, from)))
    .returning();
  for (const row of rows) {
    audit(session, {
      tenantId: row.tenantId,
      approvalId: row.id,
      type: "approval.withdrawn",
      data: { cause },
    });
  }
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
        eq(approvals.status, "executing"),
        inArray(approvals.handlerKind, [...kinds]),
      ),
    )
    .returning();
  for (const row of rows) {
    audit(session, { tenantId: row.tenantId, approvalId: row.id, type: "approval.interrupted" });
  }
}
