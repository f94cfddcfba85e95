import { canonicalJson } from "../../protocol/canonical-json.js";
import { wellFormed } from "../../protocol/unicode.js";
import { endRun } from "../../store/runs.js";
import type { Write } from "../../store/write.js";
import { createEndEvents, type RunOutcome } from "../events/internal-events.js";
import { resumeStep } from "./resume-step.js";

/**
 * Ends a run, passes its result to the waiting `step.invoke`, and sends the events about its end. Does nothing if the
 * run has already ended.
 */
export async function finishRun(write: Write, runId: string, outcome: RunOutcome): Promise<void> {
  const run = await endRun(write, runId, {
    status: outcome.status,
    output: outcome.status === "Cancelled" ? null : JSON.stringify(outcome.result ?? null),
    endedAt: write.now,
  });
  if (!run) return;
  write.endedRuns.push(runId);
  if (run.correlationId) {
    const [parentRunId, stepId] = run.correlationId.split(".");
    if (parentRunId && stepId) await resumeStep(write, parentRunId, stepId, toInvokeState(outcome));
  }
  write.emitted.push(...createEndEvents(run, outcome, write.now));
}

/** What the invoking function sees as the step's result. */
function toInvokeState(outcome: RunOutcome): string {
  switch (outcome.status) {
    case "Completed":
      return canonicalJson({ data: wellFormed(outcome.result ?? null) });
    case "Failed":
      return JSON.stringify({ error: outcome.error });
    case "Cancelled":
      return JSON.stringify({
        error: {
          error: "FunctionCancelledError",
          message: "The invoked function was cancelled",
          name: "FunctionCancelledError",
        },
      });
  }
}
