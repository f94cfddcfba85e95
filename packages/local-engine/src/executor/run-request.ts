import type { RegisteredFunction } from "../apps/registry.js";
import { encodeQueueItemId } from "../protocol/identifiers.js";
import { DISCOVERY } from "../store/queue.js";
import type { QueueItem, Run } from "../store/schema.js";

/** The parts of a request to a function. */
export interface RunRequestInput {
  fn: RegisteredFunction;
  run: Run;
  item: QueueItem;
  requestId: string;
  /** The memoized steps in the order of their completion, each state as JSON text. */
  steps: Array<{ id: string; state: string | null }>;
  /**
   * Set if other steps of the run are pending or a planned step is requested: then nothing else may run in this
   * request.
   */
  disableImmediateExecution: boolean;
}

/** A request to a function, ready to be sent. */
export interface RunRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Builds the request that asks a function for one step, or for what comes next. */
export function buildRunRequest(input: RunRequestInput): RunRequest {
  const { fn, run, item, requestId } = input;
  const url = new URL(fn.url);
  url.searchParams.set("fnId", fn.id);
  url.searchParams.set("stepId", item.stepId);
  const stack = input.steps.map((step) => step.id);
  const ctx = {
    attempt: item.attempt,
    disable_immediate_execution: input.disableImmediateExecution,
    env: "",
    fn_id: fn.uuid,
    generation_id: item.generation,
    job_id: item.id,
    max_attempts: fn.maxAttempts,
    qi_id: encodeQueueItemId(item.id),
    request_id: requestId,
    run_id: run.id,
    stack: { current: stack.length, stack },
    step_id: DISCOVERY,
    use_api: false,
  };
  // Data is stored as canonical JSON text and sent unchanged, so that the state of a run is never parsed as a whole.
  const steps = input.steps.map((step) => `${JSON.stringify(step.id)}:${step.state ?? "null"}`).join(",");
  return {
    url: url.href,
    headers: {
      "content-type": "application/json",
      "x-inngest-generation-id": String(item.generation),
      "x-inngest-job-id": item.id,
      "x-inngest-req-version": String(run.requestVersion),
      "x-inngest-step-id": item.stepId,
      "x-request-id": requestId,
      "x-run-id": run.id,
    },
    body:
      `{"ctx":${JSON.stringify(ctx)},"defers":{},"event":${run.event},"events":[${run.event}],` +
      `"steps":{${steps}},"use_api":false,"version":${run.requestVersion}}`,
  };
}
