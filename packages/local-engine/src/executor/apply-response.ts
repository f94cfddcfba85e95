import type { RegisteredFunction } from "../apps/registry.js";
import type { Core } from "../core.js";
import type { AppResponse } from "../protocol/app-response.js";
import { completeItem, DISCOVERY, enqueue, isStillQueued } from "../store/queue.js";
import type { QueueItem } from "../store/schema.js";
import { saveSteps } from "../store/steps.js";
import { addWaits } from "../store/waits.js";
import type { Write } from "../store/write.js";
import { Batch, type ModelCall } from "./opcodes/batch.js";
import { readBatch } from "./opcodes/read-batch.js";
import { failRun, failRunForGood, hasAttemptLeft, retryLater } from "./runs/fail-or-retry.js";
import { finishRun } from "./runs/finish-run.js";

/** Work that is left after an app's response was applied, for after the commit. */
export interface Applied {
  modelCalls: ModelCall[];
}

const NOTHING_LEFT: Applied = { modelCalls: [] };

/**
 * Applies an app's response in one write. What the response plans begins only when the write is durable. So a wait is
 * always registered before a parallel step can send the event that ends it.
 */
export async function applyResponse(
  core: Core,
  write: Write,
  request: { item: QueueItem; fn: RegisteredFunction },
  response: AppResponse,
): Promise<Applied> {
  const { item, fn } = request;
  const state = await write.runOf(item.runId);
  // The run has ended, or the response was applied before, and only the answer of the database was lost.
  if (state?.run.status !== "Running" || !isStillQueued(state, item)) return NOTHING_LEFT;
  const { run } = state;
  const { requestVersion = run.requestVersion } = response;
  if (requestVersion !== run.requestVersion) write.changeRun(state, { requestVersion });
  if (response.type === "completed") {
    await finishRun(write, run.id, { status: "Completed", result: response.data });
    return NOTHING_LEFT;
  }
  if (response.type === "failed") {
    const retriable = !response.noRetry && hasAttemptLeft(fn, item);
    if (retriable) retryLater(write, state, item, response.retryAfter);
    else await failRun(write, run.id, response);
    return NOTHING_LEFT;
  }
  const batch = new Batch(core, write, fn, state, item);
  readBatch(batch, response.opcodes);
  return applyBatch(batch, response);
}

async function applyBatch(
  batch: Batch,
  response: Extract<AppResponse, { type: "opcodes" }>,
): Promise<Applied> {
  const { write, state, run, item } = batch;
  if (batch.failure) {
    await failRunForGood(write, run.id, batch.failure);
    return NOTHING_LEFT;
  }
  saveSteps(write, state, batch.steps);
  if (batch.completion) {
    await finishRun(write, run.id, { status: "Completed", result: batch.completion.data });
    return NOTHING_LEFT;
  }
  await addWaits(write, batch.waits);
  for (const invoke of batch.invokes) await invoke();
  enqueue(write, state, batch.plannedSteps);
  if (batch.retry) {
    retryLater(write, state, item, response.retryAfter);
    return NOTHING_LEFT;
  }
  if (batch.modelCalls.length > 0) return { modelCalls: batch.modelCalls };
  completeItem(write, state, item.id);
  if (response.opcodes.length === 0 && batch.pendingCount === 0) {
    await failRunForGood(write, run.id, "The app returned no opcodes while no step was pending");
  } else {
    discoverAfter(batch);
  }
  return NOTHING_LEFT;
}

/** Asks the function what comes next, if it is time. `discoverNext` does the same for steps that had to wait. */
function discoverAfter(batch: Batch): void {
  const { write, state, run } = batch;
  const eachTime = run.requestVersion < 2 || batch.raceStepCompleted;
  if (batch.pendingCount === 0 || (batch.hasCompletedSteps && eachTime)) enqueue(write, state, [DISCOVERY]);
}
