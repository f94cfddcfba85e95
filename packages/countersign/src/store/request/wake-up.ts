import { and, eq, notExists, sql } from "drizzle-orm";
import { type Session, type Transaction, together } from "../database.js";
import type { WakeUp } from "../ports/request-port.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, outbox, requests } from "../schema.js";
import type { LockedRequest } from "./lock-request.js";

const isOpen = hasStatus("proposed", "pending");

/** Seconds after which an unanswered wake-up is sent again. */
const firstRetrySeconds = 5;

/** Whether something waits: not for a call of another program, or one that the host saved itself. */
function isAwaited({ runId, appId }: LockedRequest): boolean {
  return runId !== null || appId !== null;
}

/** Writes the outbox row once no call of the request is open, and returns the wake-up. Needs the lock. */
export async function wakeUpIfComplete(
  session: Session,
  request: LockedRequest,
): Promise<WakeUp | undefined> {
  if (request.settledAt || !isAwaited(request)) return undefined;
  const { db, now } = session;
  const open = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.requestId, request.id), isOpen));
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
 * {@link isOpen} of another call of the same request, for the approvals of a statement's rows. Drizzle would write columns
 * without their tables here.
 */
export const hasOpenSiblings = sql<boolean>`exists (
  select from ${approvals} sibling where sibling.request_id = ${approvals}.request_id
    and sibling.id <> ${approvals}.id and sibling.status in ('proposed', 'pending')
)`;

/** Like `wakeUpIfComplete`, for a caller that knows, under the lock, that no call of the request is open. */
export function wakeUpComplete(session: Transaction, request: LockedRequest): WakeUp | undefined {
  if (request.settledAt || !isAwaited(request)) return undefined;
  const { db, now } = session;
  const { id: requestId, tenantId, wakeUpToken: token } = request;
  const nextAttemptAt = sql`${now} + ${firstRetrySeconds} * interval '1 second'`;
  const row = { requestId, tenantId, createdAt: now, attempts: 0, nextAttemptAt };
  // An earlier, unanswered wake-up may have its row there already.
  session.send(db.insert(outbox).values(row).onConflictDoNothing().execute());
  return { requestId, token };
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
