import { and, asc, eq, gte, inArray, isNull, ne, sql } from "drizzle-orm";
import { audit } from "./audit.js";
import type { Session, Transaction } from "./database.js";
import { isStale } from "./execution.js";
import { expireOverdue, lockRequest, wakeUpIfComplete } from "./request.js";
import { approvals, outbox, requests } from "./schema.js";
import type { WakeUp } from "./store.js";

/** Minutes past an expiry before the sweep does what the waiting run should have done. */
const expiryGraceMinutes = 1;
/** Minutes that a handler may take before the sweep calls it cut off. */
const executionLimitMinutes = 60;
/** Most rows that one pass of the sweep takes on. */
const mostSwept = 500;
/** Sendings after which a wake-up is given up: its run has been gone for about a month. */
const mostAttempts = 720;

/** Due wake-ups, each put off (5 s doubling up to an hour) before it is handed out, so a crash cannot hurry it. */
export async function takeDueWakeUps({ db, now }: Session, limit: number): Promise<WakeUp[]> {
  await db.delete(outbox).where(gte(outbox.attempts, mostAttempts));
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

/** Requests with calls past their time whose run never came back, in the order in which everybody takes them. */
export async function overdueRequests({ db, now }: Session): Promise<string[]> {
  const rows = await db
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
    .orderBy(asc(approvals.requestId))
    .limit(mostSwept);
  return rows.map(({ id }) => id);
}

export async function expireRequest(session: Transaction, requestId: string): Promise<number> {
  const request = await lockRequest(session, requestId);
  if (!request) return 0;
  const expired = await expireOverdue(session, requestId);
  await wakeUpIfComplete(session, request);
  return expired;
}

/** Handlers in one step that never recorded an end, and approved calls whose run never started them. */
export async function endAbandoned(session: Transaction): Promise<{ expired: number; interrupted: number }> {
  const { db, now } = session;
  // Calls of many requests in one transaction: one that waited for somebody's row would sooner or later wait in a
  // circle. What somebody holds right now is left to the next pass.
  const endless = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(
      and(
        eq(approvals.status, "executing"),
        // A durable handler may wait for days, and ends with its run.
        ne(approvals.handlerKind, "durable"),
        sql`${approvals.startedAt} < ${now} - ${executionLimitMinutes} * interval '1 minute'`,
      ),
    )
    .limit(mostSwept)
    .for("update", { skipLocked: true });
  const cutOff = await db
    .update(approvals)
    .set({ status: "interrupted", finishedAt: now })
    .where(and(eq(approvals.status, "executing"), inArray(approvals.id, endless)))
    .returning();
  const stale = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.status, "approved"), isStale(now)))
    .limit(mostSwept)
    .for("update", { skipLocked: true });
  const unused = await db
    .update(approvals)
    .set({ status: "expired", finishedAt: now })
    .where(and(eq(approvals.status, "approved"), inArray(approvals.id, stale)))
    .returning();
  for (const { tenantId, id, status } of [...cutOff, ...unused]) {
    audit(session, { tenantId, approvalId: id, type: `approval.${status}` });
  }
  return { expired: unused.length, interrupted: cutOff.length };
}
