import { createState, type Tool, type ToolMessage } from "@inngest/agent-kit";
import { approvedOutcome, type HandlerOptions } from "../agent-hook/execution/execute.js";
import { allowedOutcome } from "../agent-hook/execution/execute-allowed.js";
import { type CallOutcome, callOutcomes } from "../agent-hook/review/call-outcomes.js";
import { namesOf, responseKey } from "../agent-hook/review/tool-calls.js";
import { currentRun, type InngestRun } from "../agent-hook/run/inngest-run.js";
import { refusalInPlainHandler } from "../agent-hook/run/plain-handler.js";
import { currentScope, inHandler, isInStepBody } from "../agent-hook/run/run-scope.js";
import type { Runtime } from "../agent-hook/run/runtime.js";
import type { Subject } from "../agent-hook/run/subject.js";
import { approvalMissing } from "../approval/refusal-text.js";
import { changesBetween, describeChanges } from "../decision/changes.js";
import { type CallEnd, ended, type GateResult, refused, responded } from "./call-end.js";
import { mistake } from "./mistake.js";
import { type GateCall, readCalls } from "./read-calls.js";
import { withCallId } from "./reviewable-tool.js";

/** What the calls of one run have in common. */
export interface Gate {
  runtime: Runtime;
  /** The execution in which it was made. */
  execution: object;
  subject: Subject;
  profile: string | undefined;
  agentName: string | undefined;
}

/** The calls of one response, about which has been decided. */
export interface ReviewedCalls {
  /** Runs a call as was decided, or says why it does not run. At most once for each position. */
  run(position: number): Promise<GateResult>;
}

/**
 * Decides about all calls of one response, and waits for people where that is needed. Nothing has run yet.
 *
 * @param text The text that the model wrote beside its calls.
 * @throws CountersignError `invalid_request`, `invalid_option` or `invalid_context` for a developer's mistake.
 */
export async function reviewCalls(
  gate: Gate,
  tools: readonly Tool.Any[],
  given: readonly GateCall[],
  text = "",
): Promise<ReviewedCalls> {
  const { runtime, subject, profile } = gate;
  const calls = readCalls(given);
  const run = await runOf(gate, calls);
  if (calls.length === 0) return { run: () => Promise.reject(new Error("unreachable: there is no call")) };
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw twoOfOneName(tools);
  const around = currentScope()?.agents ?? [];
  const agents = gate.agentName === undefined ? around : [...around, gate.agentName];
  const names = namesOf(subject, agents.join(" → "), JSON.stringify([profile ?? null, calls]));
  const key = responseKey(run.execution, ["gate", ...names]);
  const { outcomes } = await callOutcomes(runtime, run, {
    ...{ key, subject, profile, tools: byName, modelText: text, earlier: [] },
    agentName: agents.join(" → ") || null,
    calls: calls.map(({ id, name, input }, position) => ({
      position,
      // What is no object is refused, and the model reads why.
      tool: { type: "tool", id, name, input: input as ToolMessage["input"] },
    })),
  });
  return {
    async run(position) {
      const { id, name, input } = calls[position] ?? { id: "", name: "", input: undefined };
      const outcome = outcomes[position] ?? { kind: "refused", refusal: approvalMissing(name) };
      const call = {
        runtime,
        run,
        subject,
        profile,
        tool: byName.get(name),
        id,
        callKey: `${key}:${position}`,
        input,
      };
      // An agent that the tool starts works for the same subject.
      const end = await inHandler({ runtime, profile }, { subject, agents }, () => endOf(call, outcome));
      return { id, name, ...end };
    },
  };
}

/** The results of all calls of one response, run in their order. */
export async function resultsOf(
  gate: Gate,
  tools: readonly Tool.Any[],
  calls: readonly GateCall[],
  text?: string,
): Promise<GateResult[]> {
  const reviewed = await reviewCalls(gate, tools, calls, text);
  const results: GateResult[] = [];
  for (const position of calls.keys()) results.push(await reviewed.run(position));
  return results;
}

interface ReviewedCall extends Pick<Gate, "runtime" | "subject" | "profile"> {
  run: InngestRun;
  tool: Tool.Any | undefined;
  id: string;
  callKey: string;
  input: unknown;
}

async function endOf(call: ReviewedCall, outcome: CallOutcome): Promise<CallEnd> {
  const { runtime, run, subject, profile, tool, id, callKey, input } = call;
  if (outcome.kind === "refused") return refused(outcome.refusal);
  if (outcome.kind === "responded") return responded(outcome.response);
  if (!tool) return refused(approvalMissing("this tool"));
  const options = withCallId(withoutNetwork(), id);
  if (outcome.kind === "allowed") {
    return ended(await allowedOutcome(runtime, run, { tool, subject, callKey, input }, options));
  }
  const { approvalId, proposed, editedInput } = outcome;
  const approved = { tool, profile, subject, approvalId, proposed, input: editedInput ?? input };
  const note = editedInput && describeChanges(changesBetween(input, editedInput));
  return ended(await approvedOutcome(runtime, approved, options), note);
}

function twoOfOneName(tools: readonly Tool.Any[]): Error {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, position) => names.indexOf(name) < position);
  return mistake("invalid_option", `gate: two tools have the name "${twice}". Give each a name of its own.`);
}

/** @throws CountersignError `invalid_context` if the run is another one, or if no step is possible here. */
async function runOf({ execution }: Gate, calls: readonly GateCall[]): Promise<InngestRun> {
  const names = calls.map(({ name }) => `"${name}"`).join(", ") || "no tool";
  // A plain handler sees no run, so this comes first.
  const nested = refusalInPlainHandler(`called ${names} at a gate`);
  if (nested) throw nested;
  const run = await currentRun();
  if (!run || run.execution !== execution) {
    throw mistake(
      "invalid_context",
      `gate: called for ${names} outside of the run that the gate was made in. Make one in each run: const gate = countersign.gate({ step }) in the function's handler.`,
    );
  }
  if (isInStepBody()) {
    throw mistake(
      "invalid_context",
      `gate: called for ${names} inside step.run, and steps cannot be nested. Call it in the function's body.`,
    );
  }
  return run;
}

/** Tools of a gate have no network whose state they could change. */
function withoutNetwork(): HandlerOptions {
  return { network: { state: createState() } } as unknown as HandlerOptions;
}
