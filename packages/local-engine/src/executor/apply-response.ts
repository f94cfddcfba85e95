import { eq } from "drizzle-orm";
import type { RegisteredFunction } from "../apps/registry.js";
import type { Core } from "../core.js";
import type { AppResponse } from "../protocol/app-response.js";
import { completeItem, DISCOVERY, enqueue } from "../store/queue.js";
import { findRun } from "../store/runs.js";
import { type QueueItem, runs } from "../store/schema.js";
import { listStepStatuses, saveSteps } from "../store/steps.js";
import { addWaits } from "../store/waits.js";
import type { Write } from "../store/writer.js";
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
 * Applies an app's response in one transaction. What the response plans begins only after the commit. So a wait is
 * always registered before a parallel step can send the event that ends it.
 */
export async function applyResponse(
  core: Core,
  write: Write,
  request: { item: QueueItem; fn: RegisteredFunction },
  response: AppResponse,
): Promise<Applied> {
  const { item, fn } = request;
  const [found, statuses] = await Promise.all([
    findRun(write.tx, item.runId),
    listStepStatuses(write.tx, item.runId),
  ]);
  if (found?.status !== "Running") {
    await completeItem(write.tx, item);
    return NOTHING_LEFT;
  }
  const run = { ...found, requestVersion: response.requestVersion ?? found.requestVersion };
  if (run.requestVersion !== found.requestVersion) {
    await write.tx.update(runs).set({ requestVersion: run.requestVersion }).where(eq(runs.id, run.id));
  }
  if (response.type === "completed") {
    await finishRun(write, run.id, { status: "Completed", result: response.data });
    return NOTHING_LEFT;
  }
  if (response.type === "failed") {
    const retriable = !response.noRetry && hasAttemptLeft(fn, item);
    if (retriable) await retryLater(write, item, response.retryAfter);
    else await failRun(write, run.id, response);
    return NOTHING_LEFT;
  }
  const batch = new Batch(core, write, fn, run, item, statuses);
  readBatch(batch, response.opcodes);
  return applyBatch(batch, response);
}

async function applyBatch(
  batch: Batch,
  response: Extract<AppResponse, { type: "opcodes" }>,
): Promise<Applied> {
  const { write, run, item } = batch;
  if (batch.failure) {
    await failRunForGood(write, run.id, batch.failure);
    return NOTHING_LEFT;
  }
  await saveSteps(write.tx, batch.steps);
  if (batch.completion) {
    await finishRun(write, run.id, { status: "Completed", result: batch.completion.data });
    return NOTHING_LEFT;
  }
  await addWaits(write, batch.waits);
  for (const invoke of batch.invokes) await invoke();
  await enqueue(write, run.id, batch.plannedSteps);
  if (batch.retry) {
    await retryLater(write, item, response.retryAfter);
    return NOTHING_LEFT;
  }
  if (batch.modelCalls.length > 0) return { modelCalls: batch.modelCalls };
  await completeItem(write.tx, item);
  if (response.opcodes.length === 0 && batch.pendingCount === 0) {
    await failRunForGood(write, run.id, "The app returned no opcodes while no step was pending");
  } else {
    await discoverAfter(batch);
  }
  return NOTHING_LEFT;
}

/** Asks the function what comes next, if it is time. `discoverNext` does the same for steps that had to wait. */
async function discoverAfter(batch: Batch): Promise<void> {
  const { write, run } = batch;
  const eachTime = run.requestVersion < 2 || batch.raceStepCompleted;
  if (batch.pendingCount === 0 || (batch.hasCompletedSteps && eachTime))
    await enqueue(write, run.id, [DISCOVERY]);
}
