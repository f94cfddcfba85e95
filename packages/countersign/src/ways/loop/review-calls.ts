import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import { approvalMissing } from "../../approval/refusal-text.js";
import { callOutcomes } from "../../call/judge/call-outcomes.js";
import type { ToolMessage } from "../../call/message.js";
import type { CallOutcome } from "../../call/outcome.js";
import { currentRun, type InngestRun } from "../../call/run/inngest-run.js";
import { mistake } from "../../call/run/mistake.js";
import { nameOfCalls } from "../../call/run/name-in-run.js";
import { refusalInPlainHandler } from "../../call/run/plain-handler.js";
import { currentScope, inHandler, isInStepBody } from "../../call/run/run-scope.js";
import type { Runtime } from "../../call/run/runtime.js";
import type { Subject } from "../../call/run/subject.js";
import type { RunningTurn } from "../../call/run/turn.js";
import { settle } from "../../call/settle.js";
import { type Tool, withoutNetwork } from "../../call/tool.js";
import { changesBetween, describeChanges } from "../../decision/changes.js";
import { type CallEnd, ended, type GateResult, refused, responded } from "./call-end.js";
import { type GateCall, readCalls } from "./read-calls.js";
import { responseOf } from "./response-of.js";
import { withCallId } from "./reviewable-tool.js";

/** What the calls of one run have in common. */
export interface Gate {
  runtime: Runtime;
  /** The execution in which it was made. */
  execution: object;
  subject: Subject;
  profile: string | undefined;
  agentName: string;
  /** The turn of the thread that its responses belong to, if they are saved. */
  turn: RunningTurn | undefined;
}

/** The calls of one response, about which has been decided. */
export interface ReviewedCalls {
  /** Runs a call as was decided, or says why it does not run. At most once for each position. */
  run(position: number): Promise<GateResult>;
  /**
   * Saves the response with the ends of its calls, if the gate has begun a turn. Once all of them have ended, it saves
   * itself.
   */
  save(): Promise<void>;
}

/**
 * Decides about all calls of one response, and waits for people where that is needed. Nothing has run yet.
 *
 * @param text The text that the model wrote beside its calls.
 * @throws CountersignError `invalid_request`, `invalid_option` or `invalid_context` for a developer's mistake.
 */
export async function reviewCalls(
  gate: Gate,
  tools: readonly Tool[],
  given: readonly GateCall[],
  text = "",
): Promise<ReviewedCalls> {
  const { runtime, subject, profile } = gate;
  const calls = readCalls(given);
  const run = await runOf(gate, calls.map(({ name }) => `"${name}"`).join(", ") || "no tool");
  if (calls.length === 0) {
    return { run: () => Promise.reject(new Error("unreachable: there is no call")), save: async () => {} };
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw twoOfOneName(tools);
  const around = currentScope()?.agents ?? [];
  const agents = [...around, gate.agentName];
  const agentName = agents.join(" → ");
  const key = nameOfCalls(run.execution, "gate", subject, agentName, calls);
  const proposed = calls.map(({ id, name, input }, position) => ({
    position,
    // What is no object is refused, and the model reads why.
    tool: { type: "tool" as const, id, name, input: input as ToolMessage["input"] },
  }));
  const { requestId, outcomes } = await callOutcomes(runtime, run, {
    key,
    subject,
    profile,
    agentName,
    tools: byName,
    modelText: text,
    earlier: [],
    calls: proposed,
  });
  const { turn } = gate;
  const ends = new Map<number, CallEnd>();
  let isSaved = false;
  const reviewed: ReviewedCalls = {
    async save() {
      if (!turn || isSaved) return;
      isSaved = true;
      const kept = proposed.map(({ position, tool }) => ({
        tool: withInput(tool, outcomes[position]),
        end: ends.get(position) ?? refusalOf(outcomes[position]),
      }));
      await runtime.conversations.save(turn, responseOf(agentName, text, kept), requestId);
    },
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
      ends.set(position, end);
      if (calls.every((_, at) => ends.has(at) || refusalOf(outcomes[at]))) await reviewed.save();
      return { id, name, ...end };
    },
  };
  return reviewed;
}

/** The results of all calls of one response, run in their order. */
export async function resultsOf(
  gate: Gate,
  tools: readonly Tool[],
  calls: readonly GateCall[],
  text?: string,
): Promise<GateResult[]> {
  const reviewed = await reviewCalls(gate, tools, calls, text);
  const results: GateResult[] = [];
  for (const position of calls.keys()) results.push(await reviewed.run(position));
  return results;
}

/** The end of a call that nobody tried to run. */
function refusalOf(outcome: CallOutcome | undefined): CallEnd | undefined {
  return outcome?.kind === "refused" ? refused(outcome.refusal) : undefined;
}

/** The arguments with which a call runs. A provider refuses a conversation with arguments that are no object. */
function withInput(tool: ToolMessage, outcome: CallOutcome | undefined): ToolMessage {
  const input: unknown = (outcome?.kind === "approved" && outcome.editedInput) || tool.input;
  return { ...tool, input: isPlainObject(input) ? input : { input } };
}

interface ReviewedCall extends Pick<Gate, "runtime" | "subject" | "profile"> {
  run: InngestRun;
  tool: Tool | undefined;
  id: string;
  callKey: string;
  input: unknown;
}

async function endOf(call: ReviewedCall, outcome: CallOutcome): Promise<CallEnd> {
  const { runtime, run, tool, id, input } = call;
  if (outcome.kind === "responded") return responded(outcome.response);
  if (outcome.kind === "refused") return refused(outcome.refusal);
  if (!tool) return refused(approvalMissing("this tool"));
  const options = withCallId(withoutNetwork(runtime), id);
  const settled = await settle(runtime, { ...call, tool }, outcome, options, run);
  const changed = outcome.kind === "approved" && outcome.editedInput;
  return ended(settled, changed ? describeChanges(changesBetween(input, changed)) : undefined);
}

function twoOfOneName(tools: readonly Tool[]): Error {
  const names = tools.map(({ name }) => name);
  const twice = names.find((name, position) => names.indexOf(name) < position);
  return mistake("invalid_option", `gate: two tools have the name "${twice}". Give each a name of its own.`);
}

/** @throws CountersignError `invalid_context` if the run is another one, or if no step is possible here. */
export async function runOf({ execution }: Gate, what: string): Promise<InngestRun> {
  // A plain handler sees no run, so this comes first.
  const nested = refusalInPlainHandler(`called ${what} at a gate`);
  if (nested) throw nested;
  const run = await currentRun();
  if (!run || run.execution !== execution) {
    throw mistake(
      "invalid_context",
      `gate: called for ${what} outside of the run that the gate was made in. Make one in each run: const gate = countersign.gate({ step }) in the function's handler.`,
    );
  }
  if (isInStepBody()) {
    throw mistake(
      "invalid_context",
      `gate: called for ${what} inside step.run, and steps cannot be nested. Call it in the function's body.`,
    );
  }
  return run;
}
