import { requestHumanInputName } from "@countersign/policy/internal/policy/rules/question-rule";
import type { Terms } from "@countersign/policy/internal/policy/rules/terms";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { fieldProblems, problemText } from "@countersign/policy/internal/shared/zod-problems";
import * as z from "zod";
import { currentExecution } from "../../call/run/inngest-context.js";
import { watchSteps } from "../../call/run/inngest-run.js";
import { final, mistake } from "../../call/run/mistake.js";
import { refusalInPlainHandler } from "../../call/run/plain-handler.js";
import { type RunContext, subjectGiven } from "../../call/run/run-context.js";
import { currentScope } from "../../call/run/run-scope.js";
import type { Runtime } from "../../call/run/runtime.js";
import type { Subject } from "../../call/run/subject.js";
import { checkMark } from "../../call/tool/needs-approval.js";
import { warnOfUnruledTools } from "../../call/tool/tool-warnings.js";
import type { Tool } from "../../call/tool.js";
import { requestHumanInput } from "../../questions/request-human-input.js";
import type { GateResult } from "./call-end.js";
import type { ConversationMessage } from "./conversation.js";
import type { AnyGateTool } from "./gate-tool.js";
import { beginTurn, endTurn } from "./gate-turn.js";
import type { GateCall } from "./read-calls.js";
import { type Gate, resultsOf } from "./review-calls.js";
import { reviewable } from "./reviewable-tool.js";

/** For whom a run works, and with which step tools. */
export interface RunGateOptions {
  /** The step tools of the Inngest function. */
  step: object;
  /** @default the instance's `tenantId`, without a requester and a thread */
  context?: RunContext;
  /** Shown to those who decide. @default "agent" */
  agentName?: string;
  /** The policy profile of the agent. @default none */
  profile?: string;
}

/** A question for people. */
export interface GateQuestion {
  /** The complete question; the person sees nothing else. */
  message: string;
  /** Possible answers, of which the person chooses one. */
  choices?: readonly string[];
  /** Form fields: a flat JSON Schema object of strings, numbers, booleans and enums. */
  form?: Record<string, unknown>;
}

/** The gate of one run: calls of tools wait here for people, and run at most once with exactly what was approved. */
export interface RunGate {
  /**
   * Begins a turn of the thread `context.threadId`: saves the user's message, and from then on each response with calls.
   * Inboxes and chats show it, and the next run continues it.
   *
   * @returns the conversation up to this message, for a model: `openAiMessages`, `anthropicMessages`, and `modelMessages`
   * of `countersign/ai-sdk` put it into a provider's form
   * @throws CountersignError `invalid_context` without a thread, and in another run. The run fails if the thread belongs
   * to somebody else.
   */
  begin(message: string): Promise<ConversationMessage[]>;
  /**
   * Ends the turn with the agent's last text.
   *
   * @param text Nothing is saved if it is empty.
   * @throws CountersignError `invalid_context` if no turn has begun.
   */
  end(text: string): Promise<void>;
  /**
   * One call, like a response with one call.
   *
   * @throws CountersignError `invalid_option` for a tool that cannot be offered or whose mark names a wrong channel,
   * `invalid_context` in another run.
   */
  call(tool: AnyGateTool | Tool, call: Omit<GateCall, "name">): Promise<GateResult>;
  /**
   * All calls of one response of a model. Those that wait for people are one request and wait together; then all run in
   * their order.
   *
   * @param text The text that the model wrote beside its calls, for those who decide.
   * @returns the results, in the order of the calls
   * @throws CountersignError `invalid_request` if two calls have one id, `invalid_option` for a tool that cannot be
   * offered or whose mark names a wrong channel, `invalid_context` in another run. Then nobody is asked and nothing runs.
   */
  calls(
    tools: readonly (AnyGateTool | Tool)[],
    calls: readonly GateCall[],
    options?: { text?: string },
  ): Promise<GateResult[]>;
  /**
   * Asks a person, and waits for the answer, which is the result's `output`.
   *
   * @param terms Approvers and timeout. @default any signed-in principal of the tenant may answer
   */
  ask(question: GateQuestion, terms?: Pick<Terms, "approvers" | "timeout" | "risk">): Promise<GateResult>;
}

/** @throws CountersignError `outside_inngest`, `invalid_option` or `invalid_context`, naming the field. */
export function createRunGate(runtime: Runtime, options: RunGateOptions): RunGate {
  checkOptions(options);
  const { context = {}, profile, agentName = "agent" } = options;
  const execution = currentExecution();
  if (!execution) {
    throw (
      refusalInPlainHandler("called countersign.gate()") ??
      new CountersignError(
        "outside_inngest",
        "gate(): is only possible inside an Inngest function. Call it in the handler of inngest.createFunction(), once for each run.",
      )
    );
  }
  watchSteps(execution.ctx.step);
  const subject = subjectOf(runtime, context);
  const inside: Gate = {
    runtime,
    execution: execution.instance,
    subject,
    profile,
    agentName,
    turn: undefined,
  };
  const calls: RunGate["calls"] = async (given, responded, { text } = {}) => {
    const tools = given.map((tool) => reviewable(tool));
    checkMarks(runtime, tools);
    warnOfUnruledTools(inside, { name: agentName, tools });
    return resultsOf(inside, tools, responded, text);
  };
  const only = ([result]: GateResult[]) => {
    if (!result) throw new Error("unreachable: each call has a result");
    return result;
  };
  const gate: RunGate = {
    begin: (message) => beginTurn(inside, message),
    end: (text) => endTurn(inside, text),
    calls,
    call: async (tool, { id, input }) => only(await calls([tool], [{ id, name: tool.name, input }])),
    async ask(question, terms) {
      const call = { id: "question", name: requestHumanInputName, input: question };
      return only(await resultsOf(inside, [requestHumanInput(terms)], [call]));
    },
  };
  insides.set(gate, inside);
  return gate;
}

/**
 * What a gate of ours has in common for its calls.
 * @throws CountersignError `invalid_option` for anything else.
 */
export function insideOf(gate: RunGate): Gate {
  const inside = insides.get(gate);
  if (inside) return inside;
  throw mistake("invalid_option", "gate: must be the result of countersign.gate({ step })");
}

function checkMarks(runtime: Runtime, tools: readonly Tool[]): void {
  try {
    for (const tool of tools) checkMark(runtime, tool.name, tool);
  } catch (error) {
    throw final(error);
  }
}

function subjectOf({ tenantId }: Runtime, context: RunContext): Subject {
  try {
    return subjectGiven(tenantId, context, currentScope()?.subject());
  } catch (error) {
    throw final(error);
  }
}

const insides = new WeakMap<RunGate, Gate>();

const optionsSchema = z.strictObject({
  step: z.custom<object>(
    (step) => typeof Object(step).run === "function" && typeof Object(step).invoke === "function",
    "must be the step tools that the Inngest function gets: ({ step }) => …",
  ),
  context: z.looseObject({}).optional(),
  agentName: z.string().min(1).optional(),
  profile: z.string().min(1).optional(),
});

function checkOptions(options: unknown): void {
  const { error } = optionsSchema.safeParse(options);
  if (error) throw mistake("invalid_option", `gate(): ${problemText(fieldProblems(error))}`);
}
