import type { RegisteredFunction } from "../apps/registry.js";
import { canonicalJson } from "../protocol/canonical-json.js";
import { completeItem, isStillQueued } from "../store/queue.js";
import type { QueueItem } from "../store/schema.js";
import { completeStep } from "../store/steps.js";
import type { Write } from "../store/write.js";
import type { ModelResult } from "./call-model.js";
import { hasAttemptLeft, retryLater } from "./runs/fail-or-retry.js";
import { discoverNext } from "./runs/resume-step.js";

/**
 * Memoizes the model calls of a request. If one failed and may be retried, the request is repeated, and the function
 * then reports which calls are left.
 */
export async function applyModelResults(
  write: Write,
  request: { item: QueueItem; fn: RegisteredFunction },
  results: Array<{ stepId: string; result: ModelResult }>,
): Promise<void> {
  const { item, fn } = request;
  const state = await write.runOf(item.runId);
  if (!state || !isStillQueued(state, item)) return;
  let retry = false;
  let lastMode: string | null | undefined;
  for (const { stepId, result } of results) {
    if ("error" in result && hasAttemptLeft(fn, item)) {
      retry = true;
      continue;
    }
    const step = completeStep(write, state, stepId, canonicalJson(result));
    if (step) lastMode = step.mode === "race" ? "race" : (lastMode ?? step.mode);
  }
  if (retry) return retryLater(write, state, item, undefined);
  completeItem(write, state, item.id);
  if (lastMode !== undefined) discoverNext(write, state, lastMode);
}
