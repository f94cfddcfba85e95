import type { RegisteredFunction } from "../apps/registry.js";
import type { Core } from "../core.js";
import { type AppResponse, readAppResponse, unreachable } from "../protocol/app-response.js";
import { callApp } from "../protocol/call-app.js";
import { MAX_STEPS, STEPS_OVERFLOWED } from "../protocol/limits.js";
import { hasUnpairedSurrogate, MISSING_SURROGATE } from "../protocol/unicode.js";
import { completeItem, DISCOVERY, isStillQueued } from "../store/queue.js";
import type { QueueItem } from "../store/schema.js";
import { memoizedSteps, pendingSteps } from "../store/steps.js";
import type { Write } from "../store/write.js";
import { TakenOverError } from "../store/writer.js";
import { applyModelResults } from "./apply-model-results.js";
import { type Applied, applyResponse } from "./apply-response.js";
import { callModel } from "./call-model.js";
import { explainFailure } from "./explain-failure.js";
import { buildRunRequest, type RunRequest, type RunRequestInput } from "./run-request.js";
import { failRunForGood } from "./runs/fail-or-retry.js";

/** The result of processing a queue item. */
export type Execution = "done" | "app-not-here";

/**
 * Processes a queue item: calls the function, applies its response, and makes the model calls it requests.
 *
 * @param onRepeated Called with a repeated request that goes on after this.
 */
export async function executeItem(
  core: Core,
  item: QueueItem,
  requestId: string,
  onRepeated: (straggler: Promise<unknown>) => void = () => {},
): Promise<Execution> {
  const plansOnly = (functionId: string) => core.disorder?.happens("plan", functionId) === true;
  const found = await core.writer.write((write) => readItem(write, item, plansOnly), [item.runId]);
  if (!found) return "done";
  const { run, steps, disableImmediateExecution } = found;
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
  const response =
    request.hasSteps && steps.some(({ state }) => state !== null && hasUnpairedSurrogate(state))
      ? unreachable(MISSING_SURROGATE)
      : await askOnceOrTwice(core, fn, request, onRepeated);
  await core.disorder?.linger(`${fn.id} ${item.stepId}`);
  const { modelCalls } = await applyOrFail(core, { item, fn }, response);
  if (modelCalls.length > 0) {
    const results = await Promise.all(
      modelCalls.map(async ({ stepId, opts }) => ({
        stepId,
        result: await callModel(core.modelFetch, opts),
      })),
    );
    await core.writer.write((write) => applyModelResults(write, { item, fn }, results), [item.runId]);
  }
  return "done";
}

type RunToRequest = Pick<RunRequestInput, "run" | "steps" | "disableImmediateExecution">;

/** What a request needs; `undefined` if the item has been processed. An item without a run that goes on is removed. */
async function readItem(
  write: Write,
  item: QueueItem,
  plansOnly: (functionId: string) => boolean,
): Promise<RunToRequest | undefined> {
  const state = await write.runOf(item.runId);
  // The scheduler may read an item just before it is processed, and pass it on just after.
  if (!state) {
    write.changes.deletedItems.add(item.id);
    return undefined;
  }
  if (!isStillQueued(state, item)) return undefined;
  const { run } = state;
  if (run.status !== "Running") {
    completeItem(write, state, item.id);
    return undefined;
  }
  const isPlannedStep = item.stepId !== DISCOVERY;
  const hasOthers = pendingSteps(state).some(({ owner }) => owner !== item.id);
  const disableImmediateExecution = isPlannedStep || hasOthers || plansOnly(run.functionId);
  return { run, steps: memoizedSteps(state), disableImmediateExecution };
}

/** Asks the app, or asks it twice at once and uses the first response. */
async function askOnceOrTwice(
  core: Core,
  fn: RegisteredFunction,
  request: RunRequest,
  onRepeated: (straggler: Promise<unknown>) => void,
): Promise<AppResponse> {
  const first = askApp(core, fn, request);
  if (!core.disorder?.happens("repeat", fn.id)) return first;
  const second = askApp(core, fn, request);
  onRepeated(Promise.all([first, second]));
  return Promise.race([first, second]);
}

/** Applies a response. If that fails, the attempt counts as failed, so that nothing is retried forever. */
async function applyOrFail(
  core: Core,
  request: { item: QueueItem; fn: RegisteredFunction },
  response: AppResponse,
): Promise<Applied> {
  const apply = (answer: AppResponse) =>
    core.writer.write((write) => applyResponse(core, write, request, answer), [request.item.runId]);
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
