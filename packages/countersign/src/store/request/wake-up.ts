import { and, eq, notExists, sql } from "drizzle-orm";
import { builtOnce, type ValueOf } from "../built-once.js";
import type { Session } from "../database.js";
import type { WakeUp } from "../ports/request-port.js";
import type { RequestDraft } from "../request-seen.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals, outbox, requests } from "../schema.js";
import type { LockedRequest } from "./lock-request.js";

const isOpen = hasStatus("proposed", "pending");

/** Seconds after which an unanswered wake-up is sent again. */
const firstRetrySeconds = 5;

/** Whether something waits: not for a call of another program, or one that the host saved itself. */
function isAwaited({ runId, appId }: RequestDraft["row"]): boolean {
  return runId !== null || appId !== null;
}

/** Writes the outbox row once no call of the request is open, and returns the wake-up. Needs the lock. */
export async function wakeUpIfComplete(
  session: Session,
  request: LockedRequest,
): Promise<WakeUp | undefined> {
  if (request.settledAt || !isAwaited(request)) return undefined;
  const [written] = await queueingIfComplete(session, { requestId: request.id });
  return written;
}

const queueingIfComplete = builtOnce(({ db, now }, value: ValueOf<"requestId">) => {
  const open = db
    .select({ id: approvals.id })
    .from(approvals)
    .where(and(eq(approvals.requestId, value("requestId")), isOpen));
  const complete = db
    .select({
      requestId: requests.id,
      tenantId: requests.tenantId,
      createdAt: sql<Date>`${now}`.as("created_at"),
      attempts: sql<number>`0`.as("attempts"),
      nextAttemptAt: sql<Date>`${now} + ${firstRetrySeconds} * interval '1 second'`.as("next_attempt_at"),
    })
    .from(requests)
    .where(and(eq(requests.id, value("requestId")), notExists(open)));
  return (
    db
      .insert(outbox)
      .select(complete)
      // Changes nothing, but also returns the row of an earlier, unanswered wake-up.
      .onConflictDoUpdate({ target: outbox.requestId, set: { requestId: sql`excluded.request_id` } })
      .returning({ requestId: outbox.requestId })
  );
});

/**
 * Starts a new wait round. A decision before this round may have sent its wake-up while no run was waiting, so the
 * wake-up is queued again. Idempotent.
 */
export function beginRound(request: RequestDraft, round: number): void {
  if (round < request.row.rounds) return;
  request.change({ rounds: round + 1, settledAt: null });
  queueIfComplete(request);
}

/** Queues the wake-up once no call of the request is open. Returns it, also one that is queued already. */
export function queueIfComplete(request: RequestDraft): WakeUp | undefined {
  const { row } = request;
  if (row.settledAt || !isAwaited(row) || !request.isComplete) return undefined;
  request.change({ wakeUp: "queued", retrySeconds: firstRetrySeconds });
  return { requestId: row.id };
}
