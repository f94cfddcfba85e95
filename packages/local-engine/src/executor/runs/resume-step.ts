import { and, eq } from "drizzle-orm";
import { DISCOVERY, enqueue } from "../../store/queue.js";
import { findRun } from "../../store/runs.js";
import { queueItems } from "../../store/schema.js";
import { completeStep, countPendingSteps } from "../../store/steps.js";
import { deleteWaitOfStep } from "../../store/waits.js";
import type { Write } from "../../store/writer.js";

/** Memoizes a step that was waiting, and asks its function what comes next, if it is time. */
export async function resumeStep(write: Write, runId: string, stepId: string, state: string): Promise<void> {
  const [completed] = await Promise.all([
    completeStep(write.tx, runId, stepId, state),
    deleteWaitOfStep(write.tx, runId, stepId),
  ]);
  if (completed) await discoverNext(write, runId, completed.mode);
}

/**
 * Asks a function what comes next after one of its steps is done. Usually it waits until all parallel steps are done.
 * In a race, and for SDKs with request version 1, it asks after each step.
 */
export async function discoverNext(write: Write, runId: string, mode: string | null): Promise<void> {
  const [run, pending] = await Promise.all([findRun(write.tx, runId), countPendingSteps(write.tx, runId)]);
  if (run?.status !== "Running") return;
  if (pending > 0 && run.requestVersion >= 2 && mode !== "race") return;
  if (pending > 0 && (await hasUntouchedDiscovery(write, runId))) return;
  await enqueue(write, runId, [DISCOVERY]);
}

/** Whether this transaction has already queued a discovery request. That request will contain the new state as well. */
async function hasUntouchedDiscovery(write: Write, runId: string): Promise<boolean> {
  const queued = await write.tx
    .select({ id: queueItems.id })
    .from(queueItems)
    .where(and(eq(queueItems.runId, runId), eq(queueItems.stepId, DISCOVERY)));
  const added = new Set(write.enqueued.map((item) => item.id));
  return queued.some(({ id }) => added.has(id));
}
