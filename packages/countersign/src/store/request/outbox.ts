import { and, asc, eq, gte, inArray, isNull, ne, or, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { WakeUp } from "../ports/request-port.js";
import { requestReading } from "../request-seen.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, outbox, requests } from "../schema.js";
import type { Judge } from "../verb.js";
import { expireOverdue } from "./expire-overdue.js";
import { isForgotten, isStale } from "./late-calls.js";
import { queueIfComplete } from "./wake-up.js";

/** Minutes past an expiry before the sweep does what the waiting run should have done. */
const expiryGraceMinutes = 1;
/** Seconds past the end of a hold before the sweep does. */
const holdGraceSeconds = 10;
/** Maximum minutes of a handler before the sweep marks its call as interrupted. */
const executionLimitMinutes = 60;
/** Maximum rows of one pass of the sweep. */
const maxSwept = 500;
/** Attempts after which a wake-up is abandoned: its run has been gone for about a month. */
const maxAttempts = 720;

/**
 * Returns due wake-ups. Each is postponed (5 s doubling up to an hour) before it is returned, so that a crash cannot
 * speed up retries.
 */
export async function takeDueWakeUps({ db, now }: Session, limit: number): Promise<WakeUp[]> {
  await db.delete(outbox).where(gte(outbox.attempts, maxAttempts));
  const due = db
    .select({ requestId: outbox.requestId })
    .from(outbox)
    .where(sql`${outbox.nextAttemptAt} <= ${now}`)
    .orderBy(outbox.nextAttemptAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(outbox)
    .set({
      attempts: sql`${outbox.attempts} + 1`,
      nextAttemptAt: sql`${now} + least(5 * power(2, least(${outbox.attempts}, 12)), 3600) * interval '1 second'`,
    })
    .where(inArray(outbox.requestId, due))
    .returning({ requestId: outbox.requestId });
}

/**
 * The wake-ups of some requests that are still in the outbox because their runs have not answered. Postpones nothing.
 */
export async function wakeUpsStillDue({ db }: Session, requestIds: readonly string[]): Promise<WakeUp[]> {
  return db
    .select({ requestId: outbox.requestId })
    .from(outbox)
    .where(inArray(outbox.requestId, [...requestIds]));
}

/**
 * Requests whose run has not done in time what it should: expire a call, or let a held decision take effect. In the order
 * in which all transactions lock them.
 */
export async function overdueRequests({ db, now }: Session): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: approvals.requestId })
    .from(approvals)
    .innerJoin(requests, eq(requests.id, approvals.requestId))
    .where(
      and(
        hasStatus("pending"),
        or(
          sql`${approvals.heldUntil} < ${now} - ${holdGraceSeconds} * interval '1 second'`,
          and(
            isNull(approvals.heldUntil),
            sql`${approvals.expiresAt} < ${now} - ${expiryGraceMinutes} * interval '1 minute'`,
          ),
        ),
        isNull(requests.settledAt),
      ),
    )
    .orderBy(asc(approvals.requestId))
    .limit(maxSwept);
  return rows.map(({ id }) => id);
}

/**
 * Requests whose calls no run has announced: the engine lost the run in between, or let another attempt of the proposal
 * count, which was judged by another policy.
 */
export async function forgottenRequests({ db, now }: Session): Promise<string[]> {
  const rows = await db
    .selectDistinct({ id: approvals.requestId })
    .from(approvals)
    .where(isForgotten(now))
    .orderBy(asc(approvals.requestId))
    .limit(maxSwept);
  return rows.map(({ id }) => id);
}

/** Does for one of {@link overdueRequests} what its run has not done. Returns how many calls have expired. */
export function expireRequest(judging: Judge, requestId: string): Promise<number> {
  return judging(requestReading(requestId), (request) => {
    if (!request) return { result: 0 };
    const expired = expireOverdue(request);
    queueIfComplete(request);
    return { result: expired, changes: request.changes() };
  });
}

/** Ends calls whose handler never recorded an end in its step, and approved calls that their run never started. */
export async function endAbandoned(session: Transaction): Promise<{ expired: number; interrupted: number }> {
  const { db, now } = session;
  // This transaction changes calls of many requests. Waiting for locked rows would deadlock sooner or later, so rows
  // that are locked now are left to the next pass.
  const endless = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(
      and(
        hasStatus("executing"),
        // A durable handler may wait for days, and ends with its run.
        ne(approvals.handlerKind, "durable"),
        sql`${approvals.startedAt} < ${now} - ${executionLimitMinutes} * interval '1 minute'`,
      ),
    )
    .limit(maxSwept)
    .for("update", { skipLocked: true });
  const cutOff = await db
    .update(approvals)
    .set({ status: "interrupted", finishedAt: now })
    .where(and(hasStatus("executing"), inArray(approvals.id, endless)))
    .returning();
  const stale = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(hasStatus("approved"), isStale(now)))
    .limit(maxSwept)
    .for("update", { skipLocked: true });
  const unused = await db
    .update(approvals)
    .set({ status: "expired", finishedAt: now })
    .where(and(hasStatus("approved"), inArray(approvals.id, stale)))
    .returning();
  for (const { tenantId, id, notify } of cutOff) {
    audit(session, { tenantId, approvalId: id, type: "approval.interrupted", notify });
  }
  for (const { tenantId, id, notify } of unused) {
    audit(session, { tenantId, approvalId: id, type: "approval.expired", notify });
  }
  return { expired: unused.length, interrupted: cutOff.length };
}
