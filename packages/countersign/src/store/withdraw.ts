import { and, eq, inArray } from "drizzle-orm";
import type { WithdrawalCause } from "../approval/approval.js";
import { statusesBefore } from "../approval/status.js";
import { audit } from "./audit.js";
import type { Session } from "./database.js";
import { lockRequest, settle, wakeUpIfComplete } from "./request.js";
import { approvals, requests, threads } from "./schema.js";
import type { RequestProgress, WakeUp } from "./store.js";

/** Ends everything of a run that has not started, and what started if the run cannot go on with it. */
export async function withdrawRun(
  session: Session,
  runId: string,
  cause: WithdrawalCause,
): Promise<WakeUp[]> {
  const { db, now } = session;
  const wakeUps: WakeUp[] = [];
  const found = await db.select({ id: requests.id }).from(requests).where(eq(requests.runId, runId));
  for (const { id } of found) {
    const request = await lockRequest(session, id);
    if (!request) continue;
    await withdrawOpen(session, id, cause);
    if (cause === "run_failed") await interruptStarted(session, id);
    const wakeUp = await wakeUpIfComplete(session, request);
    if (wakeUp) wakeUps.push(wakeUp);
  }
  await db.update(threads).set({ status: "failed", updatedAt: now }).where(eq(threads.runId, runId));
  return wakeUps;
}

/** Ends what is open of one request, for a run that can no longer wait for it. */
export async function withdrawRequest(
  session: Session,
  requestId: string,
  cause: WithdrawalCause,
): Promise<RequestProgress> {
  await lockRequest(session, requestId);
  await withdrawOpen(session, requestId, cause, ["proposed", "pending"]);
  return settle(session, requestId);
}

async function withdrawOpen(
  session: Session,
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
    await audit(session, {
      tenantId: row.tenantId,
      approvalId: row.id,
      type: "approval.withdrawn",
      data: { cause },
    });
  }
}

async function interruptStarted(session: Session, requestId: string): Promise<void> {
  const rows = await session.db
    .update(approvals)
    .set({ status: "interrupted", finishedAt: session.now })
    .where(and(eq(approvals.requestId, requestId), eq(approvals.status, "executing")))
    .returning();
  for (const row of rows) {
    await audit(session, { tenantId: row.tenantId, approvalId: row.id, type: "approval.interrupted" });
  }
}
