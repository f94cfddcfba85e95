import { inForce } from "@countersign/policy/internal/policy/policy-versions";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { approvalMissing, decisionUnproven, type Refusal } from "../../approval/refusal-text.js";
import { awaitDecisions } from "../../gate/await-decisions.js";
import { RenamedCall } from "../../gate/gate.js";
import { noteUnproven, readReplacement } from "../../gate/read-replacement.js";
import type { Decided } from "../../orchestrator/decided.js";
import type { Message } from "../message.js";
import type { CallOutcome } from "../outcome.js";
import type { InngestRun } from "../run/inngest-run.js";
import { mistake } from "../run/mistake.js";
import { refusalInPlainHandler } from "../run/plain-handler.js";
import type { ReviewRuntime } from "../run/runtime.js";
import type { RunStream } from "../stream.js";
import { checkArguments } from "../tool/validate-input.js";
import { uniqueCallIds } from "./call-ids.js";
import { judgeableCall } from "./judge-call.js";
import { propose } from "./propose.js";
import { problemOfReplay, proposeStep } from "./repeated-calls.js";
import { requestIdOf } from "./request-id.js";
import {
  callHash,
  changedSinceReview,
  invalidInput,
  type ProposedOutcome,
  type ProposeInput,
  unknownTool,
} from "./review-call.js";
import { type ProposedToolCall, setCallIds } from "./tool-calls.js";
import { resolutionOf, waitingCalls } from "./waiting-calls.js";

type Response = Omit<ProposeInput, "requestId" | "runId" | "streamed"> & {
  /** The conversation that the model was answering. */
  earlier: readonly Message[];
};

/**
 * Decides about all calls of one response. Shows calls that need approval, and then waits durably for them.
 *
 * The step of the proposal records the verdict of every call, also of those that are allowed. On a replay, nothing else
 * is asked: whatever happened to the policy, the tools or the run since, a call does what its own proposal says.
 */
export async function callOutcomes(
  runtime: ReviewRuntime,
  run: InngestRun | undefined,
  response: Response,
  stream?: RunStream,
): Promise<{ requestId: string; outcomes: CallOutcome[] }> {
  const { calls, tools, key } = response;
  if (!run) return outcomesOutsideInngest(runtime, response);
  const { requestId, callIds, outcomes, problem } = await proposal(runtime, run, response, stream);
  // Not thrown in the step: a replay that names the call in yet another way would not find the failed step.
  if (problem !== undefined) throw mistake("invalid_context", problem);
  setCallIds(calls, callIds);
  const asked = outcomes.flatMap((outcome) => (outcome.kind === "waits" ? [outcome.proposed] : []));
  const waiting = waitingCalls(outcomes, calls);
  if (waiting.length > 0) await stream?.announce(requestId, waiting);
  const decisions = asked.length > 0 ? await awaitDecisions(runtime, run.step, key, requestId, asked) : [];
  if (waiting.length > 0) await stream?.resolve(resolutionOf(requestId, waiting, decisions));
  const decided: CallOutcome[] = [];
  for (const [index, outcome] of outcomes.entries()) {
    const call = calls[index]?.tool;
    if (outcome.kind === "allowed" && (!call || callHash(call) !== outcome.call)) {
      decided.push({ kind: "refused", refusal: changedSinceReview(call?.name ?? "this tool") });
      continue;
    }
    const concluded = await conclude(runtime, run, response.subject.tenantId, outcome, decisions);
    const name = call?.name ?? "";
    const runs = concluded.kind === "allowed" || concluded.kind === "approved";
    // A tool may be gone by the time of its approval, and AgentKit would then fail the whole run.
    decided.push(
      runs && !tools.has(name) ? { kind: "refused", refusal: unknownTool(name, tools) } : concluded,
    );
  }
  return { requestId, outcomes: decided };
}

/** The output of the step that proposes the calls of a response. */
interface ProposalOutput {
  requestId: string;
  callIds: string[];
  outcomes: ProposedOutcome[];
  /** Why the run must fail. Nothing was proposed. */
  problem?: string;
}

async function proposal(
  runtime: ReviewRuntime,
  run: InngestRun,
  response: Response,
  stream: RunStream | undefined,
): Promise<ProposalOutput> {
  const { calls, key, earlier } = response;
  const { runId } = run;
  const ofReplay = run.knowsStep(proposeStep(key))
    ? undefined
    : problemOfReplay(runtime, run, { ...response, runId });
  const problem = ofReplay && (await ofReplay);
  if (problem !== undefined) return { requestId: "", callIds: [], outcomes: [], problem };
  return run.step.run(proposeStep(key), async (): Promise<ProposalOutput> => {
    crashPoint("before-propose");
    const requestId = await requestIdOf(runtime, runId, key);
    const callIds = uniqueCallIds(requestId, calls, earlier);
    try {
      const outcomes = await propose(runtime, run, {
        ...response,
        requestId,
        runId,
        calls: calls.map(({ position, tool }) => ({
          position,
          tool: { ...tool, id: callIds[position] ?? tool.id },
        })),
        streamed: stream !== undefined,
      });
      crashPoint("after-propose");
      return { requestId, callIds, outcomes };
    } catch (error) {
      if (error instanceof RenamedCall) return { requestId, callIds, outcomes: [], problem: error.message };
      throw error;
    }
  });
}

async function outcomesOutsideInngest(runtime: ReviewRuntime, response: Response) {
  const { calls, key, earlier } = response;
  const requestId = derivedId("req", key);
  setCallIds(calls, uniqueCallIds(requestId, calls, earlier));
  const outcomes = await Promise.all(calls.map((call) => outcomeOutsideInngest(runtime, response, call)));
  return { requestId, outcomes };
}

/** Without durable waits, a call runs at once or not at all. */
async function outcomeOutsideInngest(
  runtime: ReviewRuntime,
  { subject, profile, tools }: Response,
  { tool: call }: ProposedToolCall,
): Promise<CallOutcome> {
  const tool = tools.get(call.name);
  if (!tool) return { kind: "refused", refusal: unknownTool(call.name, tools) };
  const checked = await checkArguments(tool, call.input, runtime.limits.argumentBytes);
  if (!checked.ok) return { kind: "refused", refusal: invalidInput(call.name, checked.problems) };
  const fitting = { tool, call, inputJson: checked.json, subject, profile, earlier: undefined };
  const judgeable = await judgeableCall(runtime, inForce(runtime.policy), fitting);
  const { kind } = judgeable.judge({});
  return kind === "allow" ? { kind: "allowed" } : { kind: "refused", refusal: cannotWait(call.name) };
}

async function conclude(
  runtime: ReviewRuntime,
  run: InngestRun,
  tenantId: string,
  outcome: ProposedOutcome,
  decisions: readonly Decided[],
): Promise<CallOutcome> {
  if (outcome.kind === "allowed" || outcome.kind === "refused") return outcome;
  const { approvalId, proposed } = outcome;
  if (outcome.kind === "approved") return { kind: "approved", approvalId, proposed };
  const decision = decisions.find((candidate) => candidate.approvalId === approvalId);
  if (!decision || decision.open)
    return { kind: "refused", refusal: approvalMissing("this tool", approvalId) };
  const ofAnother = decision.digest !== proposed.digest;
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
