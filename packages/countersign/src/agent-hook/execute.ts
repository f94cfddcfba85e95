import type { StateData, Tool } from "@inngest/agent-kit";
import type { Approval, WithdrawalCause } from "../approval/approval.js";
import { approvalDigest } from "../approval/digest.js";
import type { HandlerKind } from "../approval/handler-kind.js";
import { crashPoint } from "../crash-point.js";
import { CountersignError } from "../errors.js";
import { verdictKinds } from "../policy/rule.js";
import type { Runtime } from "../runtime.js";
import { type ExecutionOutcome, executedOutcome, failedOutcome, outcomeOfRow } from "./execution-outcome.js";
import { handlerKind, withApproval } from "./handler-kind.js";
import { currentRun, type InngestRun, refusingStepTools, runPlainHandler } from "./inngest-run.js";
import { policyCall } from "./policy-call.js";
import { applyStateChanges, observeState } from "./state-changes.js";
import { toolVersion } from "./tool-version.js";
import { inputProblems } from "./validate-input.js";

/** Which call is to run: the tool as it is now, the profile that its agent is bound to, and the approval. */
export interface ApprovedToolCall {
  tool: Tool.Any;
  profile: string | undefined;
  approvalId: string;
}

/** What AgentKit hands to a handler beside its input. */
export type HandlerOptions = Tool.Options<StateData>;

/** Runs an approved call with the arguments of its row, and returns or throws what AgentKit should report. */
export async function executeApproved(
  runtime: Runtime,
  call: ApprovedToolCall,
  options: HandlerOptions,
): Promise<unknown> {
  const { tool, approvalId } = call;
  const run = await currentRun();
  if (!run)
    throw new CountersignError("outside_inngest", `"${tool.name}" can only run inside its Inngest function`);
  const kind = handlerKind(tool, runtime.durableTools);
  const outcome =
    kind === "durable"
      ? await executeDurable(runtime, run, call, options)
      : await run.step.run(`countersign:execute:${approvalId}`, () =>
          joined(runtime, approvalId, () => executeInStep(runtime, call, kind, options)),
        );
  if (outcome.status === "executed") {
    applyStateChanges(options.network.state, outcome.state);
    return outcome.data;
  }
  throw reportable(outcome);
}

/** Inside one step: claim, run, record. A handler's own error is a result, never a reason to try again. */
async function executeInStep(
  runtime: Runtime,
  call: ApprovedToolCall,
  kind: HandlerKind,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const { tool, approvalId } = call;
  crashPoint("before-claim");
  const claim = await runtime.store.claim(
    approvalId,
    kind,
    stillAllowed(runtime, call, options),
    runtime.signer,
  );
  // Only what was started as idempotent may start again: a redeploy must not turn one kind into the other.
  const rerun =
    claim.outcome === "already_started" &&
    claim.approval.handlerKind === "idempotent" &&
    kind === "idempotent";
  if (claim.outcome === "already_started" && !rerun) {
    // Somebody started it and nobody recorded an end: that process is gone.
    return outcomeOfRow(await runtime.store.finish(approvalId, { status: "interrupted" }));
  }
  if (claim.outcome === "not_found") return outcomeOfRow(undefined);
  if (claim.outcome !== "claimed" && !rerun) return outcomeOfRow(claim.approval);
  crashPoint("after-claim");
  const problems = claim.approval.edited
    ? await inputProblems(tool, JSON.parse(argumentsOf(claim.approval)))
    : [];
  if (problems.length > 0) {
    const outcome = failedOutcome(
      new Error(`The arguments as a person changed them are not valid: ${problems.join("; ")}`),
    );
    await record(runtime, approvalId, outcome);
    return outcome;
  }
  const outcome = await runHandler(tool, claim.approval, { ...options, step: refusingStepTools(tool.name) });
  crashPoint("after-handler");
  await record(runtime, approvalId, outcome);
  crashPoint("after-record");
  return outcome;
}

async function runHandler(
  tool: Tool.Any,
  approval: Approval,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const changes = observeState(options.network.state);
  const call = withApproval(options, approval.id);
  try {
    const data = await runPlainHandler(tool.name, async () =>
      tool.handler(JSON.parse(argumentsOf(approval)), call),
    );
    return executedOutcome(data, changes());
  } catch (error) {
    return failedOutcome(error);
  }
}

/** Claimed in a step, run in the function's body, recorded in a step. */
async function executeDurable(
  runtime: Runtime,
  run: InngestRun,
  call: ApprovedToolCall,
  options: HandlerOptions,
): Promise<ExecutionOutcome> {
  const { tool, approvalId } = call;
  const claimed = await run.step.run(`countersign:claim:${approvalId}`, async () => {
    crashPoint("before-durable-claim");
    const claim = await runtime.store.claim(
      approvalId,
      "durable",
      stillAllowed(runtime, call, options),
      runtime.signer,
    );
    crashPoint("after-durable-claim");
    if (claim.outcome === "not_found") return { inputJson: null, refused: outcomeOfRow(undefined) };
    if (claim.outcome === "refused") return { inputJson: null, refused: outcomeOfRow(claim.approval) };
    // Started as durable and not yet memoized is this very step before a crash: the body has memoized nothing.
    if (claim.outcome === "already_started" && claim.approval.handlerKind !== "durable") {
      const interrupted = await runtime.store.finish(approvalId, { status: "interrupted" });
      return { inputJson: null, refused: outcomeOfRow(interrupted) };
    }
    return { inputJson: argumentsOf(claim.approval), refused: null };
  });
  const { inputJson } = claimed;
  if (inputJson === null) return claimed.refused ?? outcomeOfRow(undefined);
  // A standalone agent is given no step tools by AgentKit; the run has them.
  const own = withApproval({ ...options, step: options.step ?? run.step }, approvalId);
  let outcome: ExecutionOutcome;
  try {
    outcome = executedOutcome(await tool.handler(JSON.parse(inputJson), own), undefined);
  } catch (error) {
    outcome = failedOutcome(error);
  }
  await run.step.run(`countersign:record:${approvalId}`, async () => {
    crashPoint("before-durable-record");
    await record(runtime, approvalId, outcome);
    crashPoint("after-durable-record");
  });
  return outcome;
}

/** What runs: the arguments as a person changed them, or as they were proposed. */
function argumentsOf(approval: Approval): string {
  return approval.edited?.inputJson ?? approval.inputJson;
}

/** Both digests cover what they were made for: the call that was shown, and what an edit made of it. */
function digestsHold(approval: Approval): boolean {
  if (approvalDigest(approval) !== approval.digest) return false;
  const { edited } = approval;
  return edited === null || approvalDigest({ ...approval, inputJson: edited.inputJson }) === edited.digest;
}

/** The last look before a start: is the row still what was approved, the tool still the tool, the policy no stricter? */
function stillAllowed(runtime: Runtime, { tool, profile }: ApprovedToolCall, options: HandlerOptions) {
  return (approval: Approval): WithdrawalCause | undefined => {
    if (approval.toolName !== tool.name || !digestsHold(approval)) return "digest_changed";
    if (approval.toolVersion !== toolVersion(tool)) return "tool_changed";
    const subject = runtime.subjectOfState(options.network.state);
    const call = policyCall(subject, profile, tool, JSON.parse(argumentsOf(approval)));
    const { kind, terms } = runtime.policy.evaluate(call);
    // A standing approval stands only for as long as the rule lets such calls be allowed.
    const closed =
      kind === "ask" && !approval.terms.grantable.every((scope) => terms.grantable.includes(scope));
    if (approval.grantId !== null && closed) return "policy_changed";
    // A person's approval covers an ask; what nobody approved, or nobody may run any more, needs more than that.
    const covered = approval.verdict === "ask" ? "ask" : "notify";
    return verdictKinds.indexOf(kind) > verdictKinds.indexOf(covered) ? "policy_changed" : undefined;
  };
}

const recordAttempts = 5;

/**
 * Writes the end into the row. The handler has run, so a database that fails here must not make the step fail:
 * a retry would find the claim and call it interrupted, though this process knows better.
 */
async function record(runtime: Runtime, approvalId: string, outcome: ExecutionOutcome): Promise<void> {
  if (outcome.status === "refused") return;
  const end = { status: outcome.status, outcomeJson: JSON.stringify(outcome) };
  for (let attempt = 1; ; attempt++) {
    try {
      await runtime.store.finish(approvalId, end);
      return;
    } catch (error) {
      if (attempt === recordAttempts) {
        console.warn(`Countersign could not record how approval ${approvalId} ended:`, String(error));
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100 * 2 ** attempt));
    }
  }
}

/** One start in this process at a time: the same step delivered again waits for the first and shares its outcome. */
function joined<T>(runtime: Runtime, approvalId: string, work: () => Promise<T>): Promise<T> {
  const running = runtime.inFlight.get(approvalId) as Promise<T> | undefined;
  if (running) return running;
  const started = work().finally(() => runtime.inFlight.delete(approvalId));
  runtime.inFlight.set(approvalId, started);
  return started;
}

/** An error whose name and message the model reads; without a stack, which is nobody's business there. */
function reportable(outcome: Exclude<ExecutionOutcome, { status: "executed" }>): Error {
  const error = new Error(outcome.status === "failed" ? outcome.error.message : outcome.refusal.message);
  error.name = outcome.status === "failed" ? outcome.error.name : "CallNotRun";
  error.stack = "";
  return outcome.status === "failed" ? error : Object.assign(error, { code: outcome.refusal.code });
}
