import type { Proposed } from "../../approval/proposed.js";
import { approvalMissing, decisionUnproven, type Refusal } from "../../approval/refusal.js";
import { decidedOf } from "../../orchestrator/decided.js";
import { type OrchestratorResult, orchestratorResult } from "../../orchestrator/orchestrator.js";
import { crashPoint } from "../../shared/crash-point.js";
import { refusalInPlainHandler } from "../guarding/plain-handler.js";
import type { InngestRun } from "../run/inngest-run.js";
import type { Runtime } from "../runtime.js";
import type { RunStream } from "../streaming/run-stream.js";
import { proposalStep, rememberAllowed, takeAllowed, wasAllowedBefore } from "./allowed-before.js";
import { pinnedRun } from "./pin-run.js";
import { policyCall } from "./policy-call.js";
import { propose } from "./propose.js";
import { noteUnproven, readReplacement } from "./read-replacement.js";
import { invalidInput, type ProposedOutcome, type ProposeInput, unknownTool } from "./review-call.js";
import type { ProposedToolCall } from "./tool-calls.js";
import { checkArguments, fits } from "./validate-input.js";
import { resolutionOf, waitingCalls } from "./waiting-calls.js";

/** The outcome of one call: it runs, runs under its approval, or is answered without running. */
export type CallOutcome =
  | { kind: "allowed" }
  | {
      kind: "approved";
      approvalId: string;
      proposed: Proposed | undefined;
      editedInput?: Record<string, unknown>;
    }
  | { kind: "responded"; response: unknown }
  | { kind: "refused"; refusal: Refusal };

type Response = Omit<
  ProposeInput,
  "runId" | "parentRunId" | "mayHaveRun" | "tooLateToAsk" | "steps" | "streamed"
>;

/** Decides about all calls of one response. Shows calls that need approval, and then waits durably for them. */
export async function callOutcomes(
  runtime: Runtime,
  run: InngestRun | undefined,
  response: Response,
  stream?: RunStream,
): Promise<CallOutcome[]> {
  const { calls, tools, key } = response;
  if (!run) return Promise.all(calls.map((call) => outcomeOutsideInngest(runtime, response, call)));
  const allowed = calls.map((call) => isPlainlyAllowed(runtime, response, call));
  // The fast path is only open under the policy version that the run began with. After a change, every response goes
  // through its proposal, whose memoized verdicts apply to the calls that were gated before.
  const { policyVersion: pinned } = await pinnedRun(runtime, run);
  const changed = pinned !== runtime.policy.version;
  if ((!changed && allowed.every(Boolean)) || hasRun(runtime, run, pinned, response)) {
    rememberAllowed(runtime, run, key);
    return calls.map(() => ({ kind: "allowed" }));
  }

  const goneFurther = run.hasGoneFurther();
  const mayHaveRun = changed || goneFurther;
  // The run passed this response without a proposal, so its calls have run, under rules that this process no longer
  // has. It is too late to ask.
  const proposedBefore = run.outputs().some(({ isOf }) => isOf(proposalStep(key)));
  const tooLateToAsk = changed && goneFurther && !proposedBefore;
  const allowedBefore = takeAllowed(runtime, run);
  const { requestId, outcomes } = await run.step.run(proposalStep(key), async () => {
    crashPoint("before-propose");
    const { runId, parentRunId } = run;
    const steps = run.countSteps();
    const proposal = await propose(runtime, {
      ...response,
      runId,
      parentRunId,
      mayHaveRun,
      tooLateToAsk,
      steps,
      streamed: stream !== undefined,
    });
    crashPoint("after-propose");
    return { ...proposal, key, allowedBefore };
  });
  const waits = outcomes.some((outcome) => outcome.kind === "waits");
  const waiting = waitingCalls(outcomes, calls);
  if (waiting.length > 0) await stream?.announce(requestId, waiting);
  const decisions = waits ? await awaitDecisions(runtime, run, key, requestId) : [];
  if (waiting.length > 0) await stream?.resolve(resolutionOf(requestId, waiting, decisions));
  const decided: CallOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const concluded = await conclude(runtime, run, response.subject.tenantId, outcome, decisions);
    const name = calls[index]?.tool.name ?? "";
    const runs = concluded.kind === "allowed" || concluded.kind === "approved";
    // A tool may be gone by the time of its approval, and AgentKit would then fail the whole run.
    decided.push(
      runs && !tools.has(name) ? { kind: "refused", refusal: unknownTool(name, tools) } : concluded,
    );
  }
  return decided;
}

/**
 * True if the run has passed this response before and let its calls run, so asking about them now could only mislead.
 * The run's own records show it, or the earlier rules if this process still has them.
 */
function hasRun(runtime: Runtime, run: InngestRun, pinned: string, response: Response): boolean {
  if (!run.hasGoneFurther()) return false;
  if (wasAllowedBefore(run, response.key)) return true;
  const then = pinned === runtime.policy.version ? undefined : runtime.policy.at?.(pinned);
  if (!then) return false;
  return response.calls.every((call) =>
    isPlainlyAllowed({ ...runtime, policy: then, shadowPolicy: undefined }, response, call),
  );
}

/**
 * True if nothing needs to be written: the arguments fit the tool, and both the policy and a shadow policy allow the
 * call. Every replay asks again, so anything that could change is left to the proposal, whose step remembers its
 * verdict.
 */
function isPlainlyAllowed(
  { policy, shadowPolicy, limits }: Pick<Runtime, "policy" | "shadowPolicy" | "limits">,
  { subject, profile, tools }: Response,
  { tool: call }: ProposedToolCall,
): boolean {
  const tool = tools.get(call.name);
  if (!tool || !fits(tool, call.input, limits.argumentBytes)) return false;
  const seen = { ...policyCall(subject, profile, tool, call.input), repeatable: true };
  return policy.evaluate(seen).kind === "allow" && (shadowPolicy?.evaluate(seen).kind ?? "allow") === "allow";
}

/** Without durable waits, a call runs at once or not at all. */
async function outcomeOutsideInngest(
  { policy, limits }: Pick<Runtime, "policy" | "limits">,
  { subject, profile, tools }: Response,
  { tool: call }: ProposedToolCall,
): Promise<CallOutcome> {
  const tool = tools.get(call.name);
  if (!tool) return { kind: "refused", refusal: unknownTool(call.name, tools) };
  const checked = await checkArguments(tool, call.input, limits.argumentBytes);
  if (!checked.ok) return { kind: "refused", refusal: invalidInput(call.name, checked.problems) };
  const { kind } = policy.evaluate(policyCall(subject, profile, tool, call.input));
  return kind === "allow" ? { kind: "allowed" } : { kind: "refused", refusal: cannotWait(call.name) };
}

/** Invokes the orchestrator. If even that fails, ends the request in the database, so that it does not stay open. */
async function awaitDecisions(
  runtime: Runtime,
  run: InngestRun,
  key: string,
  requestId: string,
): Promise<OrchestratorResult["decisions"]> {
  try {
    const result: unknown = await run.step.invoke(`countersign:await:${key}`, {
      function: runtime.orchestrator,
      data: { requestId },
    });
    return orchestratorResult.parse(result).decisions;
  } catch (error) {
    runtime.logger.error(
      "Waiting for decisions failed, so the open calls are withdrawn. Check that countersign.functions are served, by the Inngest client that createCountersign got.",
      { requestId, error: String(error) },
    );
    return run.step.run(`countersign:give-up:${key}`, async () => {
      const { store, signer } = runtime;
      const { approvals } = await store.withdrawRequest(requestId, "orchestration_failed");
      return decidedOf(store, signer, approvals);
    });
  }
}

async function conclude(
  runtime: Runtime,
  run: InngestRun,
  tenantId: string,
  outcome: ProposedOutcome,
  decisions: OrchestratorResult["decisions"],
): Promise<CallOutcome> {
  if (outcome.kind === "allowed" || outcome.kind === "refused") return outcome;
  const { approvalId, proposed } = outcome;
  if (outcome.kind === "approved") return { kind: "approved", approvalId, proposed };
  const decision = decisions.find((candidate) => candidate.approvalId === approvalId);
  if (!decision || decision.open)
    return { kind: "refused", refusal: approvalMissing("this tool", approvalId) };
  const ofAnother = proposed && decision.digest !== undefined && decision.digest !== proposed.digest;
  if (decision.unproven || (ofAnother && decision.refusal?.code === "denied_by_person")) {
    await run.step.run(`countersign:unproven:${approvalId}`, () =>
      noteUnproven(runtime.store, { tenantId, id: approvalId }),
    );
    return { kind: "refused", refusal: decisionUnproven(approvalId) };
  }
  if (decision.refusal) return { kind: "refused", refusal: decision.refusal };
  if (!decision.responded && !decision.edited) return { kind: "approved", approvalId, proposed };
  // The replacement may be large, so it goes from the database to this step only: no event carries it.
  const replacement = await run.step.run(`countersign:replacement:${approvalId}`, () =>
    readReplacement(runtime, tenantId, approvalId, proposed),
  );
  const { refusal, responseJson, editedInputJson } = replacement;
  // An edit without valid evidence is refused and withdrawn when the call is about to start.
  if (refusal && decision.edited) return { kind: "approved", approvalId, proposed };
  if (refusal) return { kind: "refused", refusal };
  if (decision.responded) return { kind: "responded", response: JSON.parse(responseJson ?? "null") };
  return { kind: "approved", approvalId, proposed, editedInput: JSON.parse(editedInputJson ?? "{}") };
}

/** Nothing can wait here: in a plain handler, whose outcome becomes this error, or outside a function. */
function cannotWait(tool: string): Refusal {
  const violation = refusalInPlainHandler(`needs a person's approval of a call of "${tool}"`);
  if (violation) return { code: "step_in_plain_handler", approvalId: null, message: violation.message };
  return {
    code: "outside_inngest",
    approvalId: null,
    message: `${tool} needs a person's approval, which is only possible inside an Inngest function, so it did not run. Developer: call agent.run() or network.run() from the handler of inngest.createFunction().`,
  };
}
