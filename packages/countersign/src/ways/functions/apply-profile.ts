import { knownProfile } from "@countersign/policy/internal/policy/known-profile";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import { jsonResult } from "@countersign/policy/internal/shared/json-result";
import { approvalMissing } from "../../approval/refusal-text.js";
import { toolInputJson } from "../../approval/tool-input.js";
import { reportable } from "../../call/execute/execution-outcome.js";
import { callOutcomes } from "../../call/judge/call-outcomes.js";
import type { ToolMessage } from "../../call/message.js";
import { currentExecution } from "../../call/run/inngest-context.js";
import { currentRun, watchSteps } from "../../call/run/inngest-run.js";
import { notRetriable } from "../../call/run/mistake.js";
import { nameOfCalls } from "../../call/run/name-in-run.js";
import { refusalInPlainHandler } from "../../call/run/plain-handler.js";
import { currentScope, inHandler, isInStepBody } from "../../call/run/run-scope.js";
import type { Runtime } from "../../call/run/runtime.js";
import { settle } from "../../call/settle.js";
import { checkMark, shareMark } from "../../call/tool/needs-approval.js";
import { sharePreview } from "../../call/tool/with-preview.js";
import { shareUndo } from "../../call/tool/with-undo.js";
import { type Tool, withoutNetwork } from "../../call/tool.js";
import { type ApplyProfileOptions, checkOptions, subjectOf } from "./profile-options.js";
import { ToolCallDeniedError } from "./tool-call-denied-error.js";

/** Functions with one argument: an object that JSON can hold. */
export type PlainFunctions = Record<string, (input: never) => unknown>;

/** The same functions, each of which returns a promise. */
export type GatedFunctions<Fns extends PlainFunctions> = {
  [Name in keyof Fns]: (...input: Parameters<Fns[Name]>) => Promise<Awaited<ReturnType<Fns[Name]>>>;
};

/**
 * Gates plain functions as tools of an agent with this profile: a call is a response with one tool call. So it is
 * proposed, judged, awaited and run by the same code.
 */
export function applyProfile<Fns extends PlainFunctions>(
  runtime: Runtime,
  fns: Fns,
  options: ApplyProfileOptions,
): GatedFunctions<Fns> {
  checkOptions(options);
  knownProfile(runtime.policy, options.profile);
  const execution = currentExecution();
  if (execution) watchSteps(execution.ctx.step);
  const gated = Object.entries(fns).map(([name, fn]) => {
    if (typeof fn !== "function") throw wrongOption(`applyProfile(): ${name}`, "must be a function");
    const tool: Tool = { name, handler: async (input: never) => Reflect.apply(fn, fns, [input]) };
    sharePreview(tool, fn);
    shareUndo(tool, fn);
    shareMark(tool, fn);
    checkMark(runtime, name, fn);
    return [name, (input: unknown) => callGated(runtime, tool, input, options)];
  });
  return Object.fromEntries(gated) as GatedFunctions<Fns>;
}

async function callGated(
  runtime: Runtime,
  tool: Tool,
  given: unknown,
  options: ApplyProfileOptions,
): Promise<unknown> {
  // Before anything is awaited: the caller may go on to change the object.
  const input = inputOf(runtime, tool.name, given);
  const run = await currentRun();
  if (!run) {
    throw (
      refusalInPlainHandler(`called "${tool.name}" of applyProfile`) ??
      new CountersignError(
        "outside_inngest",
        `applyProfile: "${tool.name}" can only be called inside an Inngest function`,
      )
    );
  }
  if (isInStepBody()) throw notRetriable(calledInStep(tool.name));
  const { profile, script } = options;
  const subject = subjectOf(runtime, options);
  const call: ToolMessage = { type: "tool", id: "", name: tool.name, input };
  // Equal calls may change places on a replay, calls of another profile must not.
  const key = nameOfCalls(run.execution, "applyProfile", subject, [profile, tool.name], input);
  const agents = currentScope()?.agents ?? [];
  const { outcomes } = await callOutcomes(runtime, run, {
    key,
    subject,
    profile,
    script,
    tools: new Map([[tool.name, tool]]),
    calls: [{ position: 0, tool: call }],
    agentName: agents.join(" → ") || null,
    modelText: "",
    earlier: [],
  });
  const outcome = outcomes[0] ?? { kind: "refused", refusal: approvalMissing(tool.name) };
  // An agent that the function starts works for the same subject.
  const settled = await inHandler({ runtime, profile }, { subject, agents }, () =>
    settle(runtime, { tool, profile, subject, input, callKey: `${key}:0` }, outcome, withoutNetwork(runtime)),
  );
  if (settled.status === "refused") throw new ToolCallDeniedError(tool.name, settled.refusal);
  if (settled.status === "failed") throw reportable(settled);
  return settled.data;
}

/** Inngest would wait for ever for a step inside a step. */
function calledInStep(toolName: string): CountersignError {
  return new CountersignError(
    "invalid_context",
    `applyProfile: "${toolName}" was called inside step.run, and steps cannot be nested. Call it in the function's body.`,
  );
}

/** The arguments as JSON holds them. Nothing else is judged, shown or run. */
function inputOf({ limits }: Runtime, toolName: string, given: unknown = {}): Record<string, unknown> {
  const { data, lost } = jsonResult(given);
  const checked = toolInputJson(data, limits.argumentBytes);
  if (lost.length === 0 && checked.ok) return JSON.parse(checked.json);
  const problem =
    lost.length > 0 ? `cannot be written as JSON (${lost.join(", ")})` : !checked.ok && checked.problem;
  throw new CountersignError("invalid_request", `applyProfile: ${toolName}: input: ${problem}`);
}
