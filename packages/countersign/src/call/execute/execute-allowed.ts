import { refusalUnderStop } from "../../gate/refusals.js";
import { fitResult } from "../fit-conversation.js";
import type { InngestRun } from "../run/inngest-run.js";
import { refusingStepTools, runPlainHandler } from "../run/plain-handler.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import { handlerKind } from "../tool/handler-kind.js";
import { toolVersion } from "../tool/tool-version.js";
import type { HandlerOptions } from "../tool.js";
import { type AllowedCall, refusalByCheck, refusalByCheckInRun } from "./allowed-checks.js";
import { type ExecutionOutcome, executedOutcome, failedOutcome } from "./execution-outcome.js";
import { refusalIfStopped } from "./stopped-call.js";

/**
 * Runs a call that needs no approval, unless a stop covers it or one of its checks fails: a plain handler in one step, a
 * durable one in the function's body. A handler's own error is a result and never causes a retry.
 */
export async function allowedOutcome(
  runtime: ExecutionRuntime,
  run: InngestRun,
  call: AllowedCall,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const { tool, subject, callKey, input } = call;
  const { name: toolName } = tool;
  if (handlerKind(tool, runtime.durableTools) === "durable") {
    const refusal =
      (await refusalIfStopped(runtime, { callKey, toolName, subject })) ??
      (await refusalByCheckInRun(runtime, call));
    if (refusal) return { status: "refused", refusal };
    return outcomeOf(runtime, toolName, async () => tool.handler(input, { ...options, step: run.step }));
  }
  return run.step.run(`countersign:call:${callKey}`, async () => {
    const { tenantId } = subject;
    const { runId } = run;
    const refusal =
      (await refusalUnderStop(runtime, { tenantId, toolName, runId })) ??
      (await refusalByCheck(runtime, call, runId));
    if (refusal) return { status: "refused" as const, refusal };
    const own = { ...options, step: refusingStepTools(toolName) };
    const outcome = await outcomeOf(runtime, toolName, () =>
      runPlainHandler(toolName, runtime.logger, async () => tool.handler(input, own)),
    );
    if (outcome.status === "failed" && outcome.error.code === "step_in_plain_handler") {
      runtime.stepUsers.add(toolVersion(tool));
    }
    return outcome;
  });
}

async function outcomeOf(
  { limits, logger }: ExecutionRuntime,
  toolName: string,
  run: () => Promise<unknown>,
): Promise<ExecutionOutcome> {
  try {
    return executedOutcome(toolName, fitResult(await run(), limits.resultBytes), {}, logger);
  } catch (error) {
    return failedOutcome(error);
  }
}
