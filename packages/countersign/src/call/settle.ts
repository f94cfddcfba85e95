import { type AllowedCall, refusalByCheckInRun } from "./execute/allowed-checks.js";
import { approvedOutcome } from "./execute/execute.js";
import { allowedOutcome } from "./execute/execute-allowed.js";
import type { ExecutionOutcome } from "./execute/execution-outcome.js";
import { refusalIfStopped } from "./execute/stopped-call.js";
import type { CallOutcome } from "./outcome.js";
import type { InngestRun } from "./run/inngest-run.js";
import type { ExecutionRuntime } from "./run/runtime.js";
import type { HandlerOptions } from "./tool.js";

/** A call about which has been decided. */
export interface DecidedCall extends AllowedCall {
  profile: string | undefined;
}

/** How a call ended. */
export type Settled = ExecutionOutcome | { status: "responded"; data: unknown };

/**
 * Runs a call as was decided about it, or says why it does not run. An approved call runs at most once, with the arguments
 * of its row.
 *
 * @param inStepsOf The run in whose steps a call that needs no approval runs. @default it runs in place, again on each
 * replay, and its error is thrown
 */
export async function settle(
  runtime: ExecutionRuntime,
  call: DecidedCall,
  outcome: CallOutcome,
  options: HandlerOptions,
  inStepsOf?: InngestRun,
): Promise<Settled> {
  switch (outcome.kind) {
    case "refused":
      return { status: "refused", refusal: outcome.refusal };
    case "responded":
      return { status: "responded", data: outcome.response };
    case "approved": {
      const { approvalId, proposed, editedInput } = outcome;
      const approved = { ...call, approvalId, proposed, input: editedInput ?? call.input };
      return approvedOutcome(runtime, approved, options);
    }
    case "allowed":
      return inStepsOf
        ? allowedOutcome(runtime, inStepsOf, call, options)
        : allowedInPlace(runtime, call, options);
  }
}

async function allowedInPlace(
  runtime: ExecutionRuntime,
  call: AllowedCall,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const { tool, subject, callKey, input } = call;
  const refusal =
    (await refusalIfStopped(runtime, { toolName: tool.name, subject, callKey })) ??
    (await refusalByCheckInRun(runtime, call));
  if (refusal) return { status: "refused", refusal };
  return { status: "executed", data: await tool.handler(input, options) };
}
