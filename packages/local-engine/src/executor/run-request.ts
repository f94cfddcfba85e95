import type { RegisteredFunction } from "../apps/registry.js";
import { encodeQueueItemId } from "../protocol/identifiers.js";
import { byteLength, MAX_REQUEST_BYTES } from "../protocol/limits.js";
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
  /** Whether the body has the results of steps. If it would be too large, the SDK asks the API for them. */
  hasSteps: boolean;
}

/** Builds the request that asks a function for one step, or for what comes next. */
export function buildRunRequest(input: RunRequestInput): RunRequest {
  const { fn, run, item, requestId } = input;
  const url = new URL(fn.url);
  url.searchParams.set("fnId", fn.id);
  url.searchParams.set("stepId", item.stepId);
  const stack = input.steps.map((step) => step.id);
  const ctx = (useApi: boolean) => ({
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
    use_api: useApi,
  });
  const bodyWith = ({ events, steps, useApi }: { events: string; steps: string; useApi: boolean }) =>
    `{"ctx":${JSON.stringify(ctx(useApi))},"defers":{},"event":${run.event},"events":[${events}],` +
    `"steps":${steps},"use_api":${useApi},"version":${run.requestVersion}}`;
  const body = bodyWith({ events: run.event, steps: stepsAsJson(input.steps), useApi: false });
  const hasSteps = byteLength(body) <= MAX_REQUEST_BYTES;
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
    body: hasSteps ? body : bodyWith({ events: "", steps: "{}", useApi: true }),
    hasSteps,
  };
}

/**
 * The results of steps by their ids, in the order of the ids. They are stored as canonical JSON text and sent unchanged,
 * so that the state of a run is never parsed as a whole.
 */
export function stepsAsJson(steps: RunRequestInput["steps"]): string {
  const sorted = [...steps].sort((a, b) => (a.id < b.id ? -1 : 1));
  return `{${sorted.map(({ id, state }) => `${JSON.stringify(id)}:${state ?? "null"}`).join(",")}}`;
}
