import type { WakeUp } from "../ports/request-port.js";
import type { RequestDraft } from "../request-seen.js";

/** Seconds after which an unanswered wake-up is sent again. */
const firstRetrySeconds = 5;

/** Whether something waits: not for a call of another program, or one that the host saved itself. */
function isAwaited({ runId, appId }: RequestDraft["row"]): boolean {
  return runId !== null || appId !== null;
}

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
