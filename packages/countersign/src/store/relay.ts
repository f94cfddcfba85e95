import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { audit } from "./audit.js";
import type { Session } from "./database.js";
import { expireOverdue, lockRequest, wakeUpIfComplete } from "./request.js";
import { approvals, outbox, requests } from "./schema.js";
import type { WakeUp } from "./store.js";

/** Minutes past an expiry before the sweep does what the waiting run should have done. */
const expiryGraceMinutes = 1;
/** Minutes that a handler may take before the sweep calls it cut off. */
const executionLimitMinutes = 60;

/** Due wake-ups, each put off (5 s doubling up to an hour) before it is handed out, so a crash cannot hurry it. */
export async function takeDueWakeUps({ db, now }: Session, limit: number): Promise<WakeUp[]> {
  const due = db
    .select({ requestId: outbox.requestId })
    .from(outbox)
    .where(sql`${outbox.nextAttemptAt} <= ${now}`)
    .orderBy(outbox.nextAttemptAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  const taken = await db
    .update(outbox)
    .set({
      attempts: sql`${outbox.attempts} + 1`,
      nextAttemptAt: sql`${now} + least(5 * power(2, least(${outbox.attempts}, 12)), 3600) * interval '1 second'`,
    })
    .where(inArray(outbox.requestId, due))
    .returning({ requestId: outbox.requestId });
  if (taken.length === 0) return [];
  const ids = taken.map((row) => row.requestId);
  return db
    .select({ requestId: requests.id, token: requests.wakeUpToken })
    .from(requests)
    .where(inArray(requests.id, ids));
}

/** Ends what nobody takes care of: calls past their time whose run never came back, handlers that never ended. */
export async function sweep(session: Session): Promise<{ expired: number; interrupted: number }> {
  const { db, now } = session;
  const overdue = await db
    .selectDistinct({ id: approvals.requestId })
    .from(approvals)
    .innerJoin(requests, eq(requests.id, approvals.requestId))
    .where(
      and(
        eq(approvals.status, "pending"),
        sql`${approvals.expiresAt} < ${now} - ${expiryGraceMinutes} * interval '1 minute'`,
        isNull(requests.settledAt),
      ),
    )
    .limit(500);
  let expired = 0;
  for (const { id } of overdue) {
    const request = await lockRequest(session, id);
    if (!request) continue;
    expired += await expireOverdue(session, id);
    await wakeUpIfComplete(session, request);
  }
  const cutOff = await db
    .update(approvals)
    .set({ status: "interrupted", finishedAt: now })
    .where(
      and(
        eq(approvals.status, "executing"),
        sql`${approvals.startedAt} < ${now} - ${executionLimitMinutes} * interval '1 minute'`,
      ),
    )
    .returning();
  for (const row of cutOff) {
    await audit(session, { tenantId: row.tenantId, approvalId: row.id, type: "approval.interrupted" });
  }
  return { expired, interrupted: cutOff.length };
}
