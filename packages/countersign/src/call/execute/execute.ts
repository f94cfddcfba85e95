import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { type SpanContext, span } from "@countersign/policy/internal/shared/span";
import { RetryAfterError } from "inngest";
import type { Approval } from "../../approval/approval.js";
import type { HandlerKind } from "../../approval/handler-kind.js";
import { outcomeUnverified } from "../../approval/refusal-text.js";
import { ranAs } from "../../evidence/outcome-proof.js";
import { currentRun, type InngestRun } from "../run/inngest-run.js";
import { refusingStepTools, runPlainHandler } from "../run/plain-handler.js";
import type { ExecutionRuntime } from "../run/runtime.js";
import { handlerKind, withApproval } from "../tool/handler-kind.js";
import { toolVersion } from "../tool/tool-version.js";
import { inputProblems } from "../tool/validate-input.js";
import type { HandlerOptions, Tool } from "../tool.js";
import {
  type ExecutionOutcome,
  executedOutcome,
  failedOutcome,
  fittingOutcome,
  outcomeOfRow,
} from "./execution-outcome.js";
import { recordOutcome } from "./record-outcome.js";
import type { RunnableCall } from "./runnable-call.js";
import { argumentsOf } from "./safety-checks.js";
import { observeState } from "./state-changes.js";
import { beforeClaim, refusalBySaid, stillAllowed } from "./still-allowed.js";

/** Runs an approved call with the arguments of its row, at most once. */
export async function approvedOutcome(
  runtime: ExecutionRuntime,
  call: RunnableCall,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const { tool, approvalId } = call;
  const run = await currentRun();
  if (!run)
    throw new CountersignError("outside_inngest", `"${tool.name}" can only run inside its Inngest function`);
  const kind = handlerKind(tool, runtime.durableTools);
  return kind === "durable"
    ? executeDurable(runtime, run, call, options)
    : run.step.run(`countersign:execute:${approvalId}`, () => {
        leaveToOthers(runtime, run.isLastAttempt, call);
        return outcomeInStep(runtime, call, kind, options, run.runId);
      });
}

/**
 * When the engine repeats a step that this process leaves to another: after the connections have ended over which it would
 * ask this process again.
 */
const retryAfter = "10s";

/**
 * Lets another process start a call if this one is about to end, unless that would fail the run.
 * @throws RetryAfterError with which the engine repeats the step.
 */
export function leaveToOthers(
  { closing, inFlight }: ExecutionRuntime,
  isLastAttempt: boolean,
  { tool, approvalId }: RunnableCall,
): void {
  if (!closing.aborted || isLastAttempt || inFlight.has(approvalId)) return;
  throw new RetryAfterError(`This process is about to end, so another one starts "${tool.name}"`, retryAfter);
}

/** Runs an approved call, at most once, in a step that the caller has begun. */
export function outcomeInStep(
  runtime: ExecutionRuntime,
  call: RunnableCall,
  kind: Exclude<HandlerKind, "durable">,
  options: HandlerOptions,
  runId: string,
): Promise<ExecutionOutcome> {
  const { approvalId } = call;
  return joined(runtime, approvalId, async () =>
    fitting(runtime, approvalId, await executeInStep(runtime, call, kind, options, runId)),
  );
}

/** The row keeps the whole result. The step and a durable handler return only what Inngest accepts. */
function fitting(
  { limits }: ExecutionRuntime,
  approvalId: string,
  outcome: ExecutionOutcome,
): ExecutionOutcome {
  return fittingOutcome(outcome, approvalId, limits.resultBytes);
}

/** Claims, runs and records in one step. A handler's own error is a result and never causes a retry. */
async function executeInStep(
  runtime: ExecutionRuntime,
  call: RunnableCall,
  kind: HandlerKind,
  options: HandlerOptions,
  runId: string,
): Promise<ExecutionOutcome> {
  const { tool, approvalId, proposed } = call;
  crashPoint("before-claim");
  const said = await beforeClaim(runtime, call);
  const claim = await runtime.store.claim(
    approvalId,
    kind,
    await stillAllowed(runtime, call, said),
    runtime.signer,
    runId,
  );
  // Only calls that started as idempotent may start again: a redeploy must not turn one kind into the other.
  const rerun =
    claim.outcome === "already_started" &&
    claim.approval.handlerKind === "idempotent" &&
    kind === "idempotent";
  if (claim.outcome === "already_started" && !rerun) {
    // An earlier attempt of this step started the call and recorded no end, so its process has died.
    const interrupted = await runtime.store.finish(approvalId, { status: "interrupted", startedBy: runId });
    return outcomeOfRow(runtime, interrupted, proposed);
  }
  if (claim.outcome === "not_found") return outcomeOfRow(runtime, undefined, proposed);
  if (claim.outcome === "started_elsewhere") {
    return outcomeOfRow(runtime, claim.approval, proposed, outcomeUnverified(claim.approval));
  }
  if (claim.outcome !== "claimed" && !rerun)
    return outcomeOfRow(runtime, claim.approval, proposed, refusalBySaid(said, claim.approval));
  crashPoint("after-claim");
  const ended = { approvalId, ran: ranAs(claim.approval) };
  const record = (outcome: ExecutionOutcome) =>
    recordOutcome(runtime, async () => claim.approval, ended, outcome);
  const problems = claim.approval.edited
    ? await inputProblems(tool, JSON.parse(argumentsOf(claim.approval)))
    : [];
  if (problems.length > 0) {
    const outcome = failedOutcome(new Error(`The edited arguments are not valid: ${problems.join("; ")}`));
    await record(outcome);
    return outcome;
  }
  const outcome = await runHandler(
    runtime,
    tool,
    claim.approval,
    {
      ...options,
      step: refusingStepTools(tool.name),
    },
    proposed.span,
  );
  crashPoint("after-handler");
  if (outcome.status === "failed" && outcome.error.code === "step_in_plain_handler") {
    runtime.stepUsers.add(toolVersion(tool));
  }
  await record(outcome);
  crashPoint("after-record");
  return outcome;
}

async function runHandler(
  { limits, logger, tracer }: ExecutionRuntime,
  tool: Tool,
  approval: Approval,
  options: HandlerOptions,
  proposedIn: SpanContext | undefined,
): Promise<ExecutionOutcome> {
  const changes = observeState(options.network.state, {
    toolName: tool.name,
    maxBytes: limits.resultBytes,
    logger,
  });
  const call = withApproval(options, approval.id);
  const attributes = {
    "countersign.approval.id": approval.id,
    "countersign.tenant.id": approval.tenantId,
    "countersign.tool.name": tool.name,
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool.name,
    "gen_ai.tool.call.id": approval.toolCallId,
  };
  const handle = () =>
    runPlainHandler(tool.name, logger, async () => tool.handler(JSON.parse(argumentsOf(approval)), call));
  try {
    const data = await span(tracer, "handler", attributes, handle, proposedIn);
    return executedOutcome(tool.name, data, changes(), logger);
  } catch (error) {
    return failedOutcome(error);
  }
}

/** Claims in a step, runs in the function's body, and records in a step. */
async function executeDurable(
  runtime: ExecutionRuntime,
  run: InngestRun,
  call: RunnableCall,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const { tool, approvalId, proposed } = call;
  const claimed = await run.step.run(`countersign:claim:${approvalId}`, async () => {
    leaveToOthers(runtime, run.isLastAttempt, call);
    crashPoint("before-durable-claim");
    const said = await beforeClaim(runtime, call);
    const check = await stillAllowed(runtime, call, said);
    const claim = await runtime.store.claim(approvalId, "durable", check, runtime.signer, run.runId);
    crashPoint("after-durable-claim");
    const refused = async (approval: Approval | undefined) => ({
      inputJson: null,
      ran: null,
      refused: await outcomeOfRow(runtime, approval, proposed, approval && refusalBySaid(said, approval)),
    });
    if (claim.outcome === "not_found") return refused(undefined);
    if (claim.outcome === "refused" || claim.outcome === "started_elsewhere") return refused(claim.approval);
    // A call that started as durable and is not memoized crashed in this very step: its body has memoized nothing.
    if (claim.outcome === "already_started" && claim.approval.handlerKind !== "durable") {
      const end = { status: "interrupted", startedBy: run.runId } as const;
      return refused(await runtime.store.finish(approvalId, end));
    }
    return { inputJson: argumentsOf(claim.approval), ran: ranAs(claim.approval), refused: null };
  });
  const { inputJson, ran } = claimed;
  if (inputJson === null) return claimed.refused ?? outcomeOfRow(runtime, undefined, proposed);
  // AgentKit passes no step tools to a standalone agent, so take the run's.
  const own = withApproval({ ...options, step: options.step ?? run.step }, approvalId);
  let outcome: ExecutionOutcome;
  try {
    outcome = executedOutcome(tool.name, await tool.handler(JSON.parse(inputJson), own), {}, runtime.logger);
  } catch (error) {
    outcome = failedOutcome(error);
  }
  await run.step.run(`countersign:record:${approvalId}`, async () => {
    crashPoint("before-durable-record");
    const read = () => runtime.store.getApproval(call.subject.tenantId, approvalId);
    await recordOutcome(runtime, read, { approvalId, ran }, outcome);
    crashPoint("after-durable-record");
  });
  return fitting(runtime, approvalId, outcome);
}

/**
 * At most one start at a time in this process: a step that is delivered again waits for the first and shares its
 * outcome.
 */
function joined<T>(runtime: ExecutionRuntime, approvalId: string, work: () => Promise<T>): Promise<T> {
  const running = runtime.inFlight.get(approvalId) as Promise<T> | undefined;
  if (running) return running;
  const started = work().finally(() => runtime.inFlight.delete(approvalId));
  runtime.inFlight.set(approvalId, started);
  return started;
}
