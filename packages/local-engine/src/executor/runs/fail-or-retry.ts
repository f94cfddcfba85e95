import type { RegisteredFunction } from "../../apps/registry.js";
import { type RunError, toRunFailure } from "../../protocol/errors.js";
import { retryItem } from "../../store/queue.js";
import type { RunState } from "../../store/run-state.js";
import type { QueueItem } from "../../store/schema.js";
import type { Write } from "../../store/write.js";
import { nextAttemptAt } from "./backoff.js";
import { finishRun } from "./finish-run.js";

/** Whether a request may be repeated. */
export function hasAttemptLeft(fn: RegisteredFunction, item: QueueItem): boolean {
  return item.attempt + 1 < fn.maxAttempts;
}

/** Queues another attempt after the delay that the app or the back-off sets. */
export function retryLater(
  write: Write,
  state: RunState,
  item: QueueItem,
  retryAfter: string | undefined,
): void {
  retryItem(write, state, item, nextAttemptAt(item.attempt, retryAfter, write.now));
}

/** Ends a run with an error. */
export async function failRun(
  write: Write,
  runId: string,
  failure: { error: RunError; body: unknown; noRetry: boolean },
): Promise<void> {
  const error = toRunFailure(failure.error, failure.noRetry);
  await finishRun(write, runId, { status: "Failed", error, result: failure.body });
}

/** Ends a run because of an error that a further attempt would not change. */
export async function failRunForGood(write: Write, runId: string, reason: string | RunError): Promise<void> {
  if (typeof reason !== "string")
    return finishRun(write, runId, { status: "Failed", error: reason, result: reason });
  const error = { name: "LocalEngineError", message: reason };
  await failRun(write, runId, { error, body: error, noRetry: true });
}
