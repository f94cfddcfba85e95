import { and, eq, notExists, sql } from "drizzle-orm";
import { type Session, type Transaction, together } from "../database.js";
import type { WakeUp } from "../ports/request-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, outbox, requests } from "../schema.js";
import type { LockedRequest } from "./lock-request.js";

const openStatuses = ["proposed", "pending"] as const;

/** Seconds after which an unanswered wake-up is sent again. */
const firstRetrySeconds = 5;

/** Writes the outbox row once no call of the request is open, and returns the wake-up. Needs the lock. */
export async function wakeUpIfComplete(
  session: Session,
  request: LockedRequest,
): Promise<WakeUp | undefined> {
  // A call that the host saved itself has no run of ours to wake.
  if (request.settledAt || request.runId === null) return undefined;
  const { db, now } = session;
  const open = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.requestId, request.id), hasStatus(...openStatuses)));
  const complete = db
    .select({
      requestId: requests.id,
      tenantId: requests.tenantId,
      createdAt: sql<Date>`${now}`.as("created_at"),
      attempts: sql<number>`0`.as("attempts"),
      nextAttemptAt: sql<Date>`${now} + ${firstRetrySeconds} * interval '1 second'`.as("next_attempt_at"),
    })
    .from(requests)
    .where(and(eq(requests.id, request.id), notExists(open)));
  const [written] = await db
    .insert(outbox)
    .select(complete)
    // Changes nothing, but also returns the row of an earlier, unanswered wake-up.
    .onConflictDoUpdate({ target: outbox.requestId, set: { requestId: sql`excluded.request_id` } })
    .returning({ requestId: outbox.requestId });
  return written && { requestId: request.id, token: request.wakeUpToken };
}

/**
 * Starts a new wait round. A decision before this round may have sent its wake-up while no run was waiting, so the
 * wake-up is queued again. Idempotent.
 */
export async function beginRound(session: Transaction, request: LockedRequest, round: number): Promise<void> {
  if (round < request.rounds) return;
  await together([
    session.db
      .update(requests)
      .set({ rounds: round + 1, settledAt: null })
      .where(eq(requests.id, request.id)),
    wakeUpIfComplete(session, { ...request, settledAt: null }),
  ]);
}
