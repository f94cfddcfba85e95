import { DISCOVERY, enqueue } from "../../store/queue.js";
import type { RunState } from "../../store/run-state.js";
import { completeStep, pendingSteps } from "../../store/steps.js";
import { deleteWaitOfStep } from "../../store/waits.js";
import type { Write } from "../../store/write.js";

/** Memoizes a step that was waiting, and asks its function what comes next, if it is time. */
export async function resumeStep(write: Write, runId: string, stepId: string, result: string): Promise<void> {
  deleteWaitOfStep(write, runId, stepId);
  const state = await write.runOf(runId);
  const completed = state && completeStep(write, state, stepId, result);
  if (completed) discoverNext(write, state, completed.mode);
}

/**
 * Asks a function what comes next after one of its steps is done. Usually it waits until all parallel steps are done.
 * In a race, and for SDKs with request version 1, it asks after each step.
 */
export function discoverNext(write: Write, state: RunState, mode: string | null): void {
  const { run } = state;
  const pending = pendingSteps(state).length;
  if (run.status !== "Running") return;
  if (pending > 0 && run.requestVersion >= 2 && mode !== "race") return;
  if (pending > 0 && hasUntouchedDiscovery(write, state)) return;
  enqueue(write, state, [DISCOVERY]);
}

/** Whether a discovery request was queued in this write. That request will contain the new state as well. */
function hasUntouchedDiscovery({ enqueued }: Write, { items }: RunState): boolean {
  return enqueued.some(({ id, stepId }) => stepId === DISCOVERY && items.has(id));
}
