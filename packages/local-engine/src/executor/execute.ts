import type { RegisteredFunction } from "../apps/registry.js";
import type { Core } from "../core.js";
import { type AppResponse, readAppResponse, unreachable } from "../protocol/app-response.js";
import { callApp } from "../protocol/call-app.js";
import { MAX_STEPS, STEPS_OVERFLOWED } from "../protocol/limits.js";
import { hasUnpairedSurrogate, MISSING_SURROGATE } from "../protocol/unicode.js";
import { completeItem, DISCOVERY, isStillQueued } from "../store/queue.js";
import { findRun } from "../store/runs.js";
import type { QueueItem } from "../store/schema.js";
import { listMemoizedSteps, listStepStatuses } from "../store/steps.js";
import { TakenOverError, type Write } from "../store/writer.js";
import { applyModelResults } from "./apply-model-results.js";
import { type Applied, applyResponse } from "./apply-response.js";
import { callModel } from "./call-model.js";
import { explainFailure } from "./explain-failure.js";
import { buildRunRequest, type RunRequest } from "./run-request.js";
import { failRunForGood } from "./runs/fail-or-retry.js";

/** The result of processing a queue item. */
export type Execution = "done" | "app-not-here";

/** Processes a queue item: calls the function, applies its response, and makes the model calls it requests. */
export async function executeItem(core: Core, item: QueueItem, requestId: string): Promise<Execution> {
  const [isQueued, run, steps, disableImmediateExecution] = await Promise.all([
    isStillQueued(core.db, item),
    findRun(core.db, item.runId),
    listMemoizedSteps(core.db, item.runId),
    item.stepId === DISCOVERY ? hasOtherPendingSteps(core, item) : true,
  ]);
  // The scheduler may read an item just before it is processed, and pass it on just after.
  if (!isQueued) return "done";
  if (run?.status !== "Running") {
    await core.writer.write((write) => dropItem(write, item));
    return "done";
  }
  const fn = core.registry.findFunction(run.functionId);
  if (!core.registry.isReachable(run.appId)) return "app-not-here";
  if (!fn) {
    const message = `The app "${run.appId}" no longer has a function "${run.functionId}"`;
    await core.writer.write((write) => failRunForGood(write, run.id, message));
    return "done";
  }
  // Like Inngest, check before each request: after a thousand steps, a run gets no further request.
  if (steps.length >= MAX_STEPS) {
    await core.writer.write((write) => failRunForGood(write, run.id, STEPS_OVERFLOWED));
    return "done";
  }
  const request = buildRunRequest({ fn, run, item, requestId, steps, disableImmediateExecution });
  // Like Inngest, fail a request that has no canonical form.
  const response = steps.some(({ state }) => state !== null && hasUnpairedSurrogate(state))
    ? unreachable(MISSING_SURROGATE)
    : await askApp(core, fn, request);
  const { modelCalls } = await applyOrFail(core, { item, fn }, response);
  if (modelCalls.length > 0) {
    const results = await Promise.all(
      modelCalls.map(async ({ stepId, opts }) => ({
        stepId,
        result: await callModel(core.modelFetch, opts),
      })),
    );
    await core.writer.write((write) => applyModelResults(write, { item, fn }, results));
  }
  return "done";
}

/** Removes an item whose run has ended. The earlier check may be outdated, so this transaction checks again. */
async function dropItem(write: Write, item: QueueItem): Promise<void> {
  const run = await findRun(write.tx, item.runId);
  if (run?.status === "Running")
    throw new Error("The run is still running, although an earlier check said otherwise");
  await completeItem(write.tx, item);
}

/** Applies a response. If that fails, the attempt counts as failed, so that nothing is retried forever. */
async function applyOrFail(
  core: Core,
  request: { item: QueueItem; fn: RegisteredFunction },
  response: AppResponse,
): Promise<Applied> {
  const apply = (answer: AppResponse) =>
    core.writer.write((write) => applyResponse(core, write, request, answer));
  try {
    return await apply(response);
  } catch (error) {
    if (error instanceof TakenOverError) throw error;
    const { runId } = request.item;
    core.logger.error(`Could not apply a response to run ${runId}: ${explainFailure(error)}`);
    return apply(unreachable("The engine could not apply the response; see its log"));
  }
}

async function askApp(core: Core, fn: RegisteredFunction, request: RunRequest): Promise<AppResponse> {
  try {
    const raw = await callApp({
      method: "POST",
      ...request,
      handler: core.registry.handlerOf(fn.appId),
      signingKey: core.signingKey,
    });
    return readAppResponse(raw);
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : undefined;
    const reason = [error instanceof Error ? error.message : String(error), cause].filter(Boolean).join(": ");
    return unreachable(`No response from the app "${fn.appId}": ${reason}`);
  }
}

async function hasOtherPendingSteps(core: Core, item: QueueItem): Promise<boolean> {
  const statuses = await listStepStatuses(core.db, item.runId);
  return statuses.some(({ status, owner }) => status === "pending" && owner !== item.id);
}
