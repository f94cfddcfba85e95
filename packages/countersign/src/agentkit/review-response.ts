import { randomUUID } from "node:crypto";
import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Agent, AgentResult, NetworkRun, StateData } from "@inngest/agent-kit";
import { approvalMissing } from "../approval/refusal-text.js";
import { callOutcomes } from "../call/judge/call-outcomes.js";
import { modelTextOf } from "../call/judge/text-beside-calls.js";
import { separateInputs, toolCallsOf } from "../call/judge/tool-calls.js";
import type { Message, ToolMessage } from "../call/message.js";
import { currentRun } from "../call/run/inngest-run.js";
import { nameOfCalls } from "../call/run/name-in-run.js";
import { agentsTo, currentScope, subjectsOf } from "../call/run/run-scope.js";
import type { Runtime } from "../call/run/runtime.js";
import { changesBetween, describeChanges } from "../decision/changes.js";
import { guardTools } from "./guard-tools.js";
import { refusalContent, type WithheldCalls, withholdAnswered } from "./transcript/transcript.js";

export interface ResponseArgs {
  agent: Agent<StateData>;
  network: NetworkRun<StateData> | undefined;
  /** A copy of the model's answer, from before any hook saw it. */
  modelOutput: unknown;
  /** The messages that the model answered. */
  history: readonly Message[];
  result: AgentResult;
}

/**
 * Decides about every tool call of a response before AgentKit runs any: allowed calls stay, gated ones wait for their
 * decision, refused and answered ones are withheld. Returns what `restoreAnswered` needs later.
 */
export async function reviewResponse(
  runtime: Runtime,
  profile: string | undefined,
  { agent, network, modelOutput, history, result }: ResponseArgs,
): Promise<WithheldCalls | undefined> {
  guardTools(runtime, profile, agent);
  const calls = toolCallsOf(result.output);
  const run = await currentRun();
  const { own, subject } = subjectsOf(runtime, network?.state);
  const key = run ? nameOfCalls(run.execution, "agent", own, result.agentName, modelOutput) : randomUUID();
  if (calls.length === 0) {
    // This name never leaves the database, so its content may be guessed from it.
    runtime.recorder.name(result, derivedId("req", run?.runId ?? "outside-inngest", key));
    return undefined;
  }
  separateInputs(calls);
  const agents = agentsTo(agent, result.agentName);
  const stream = currentScope()?.stream;
  const { requestId, outcomes } = await callOutcomes(
    runtime,
    run,
    {
      key,
      agentName: agents.join(" → "),
      subject,
      profile,
      tools: agent.tools,
      calls,
      earlier: [...history, ...(network?.state.results ?? []).flatMap(({ output }) => output)],
      modelText: modelTextOf(result.output),
    },
    stream,
  );
  runtime.recorder.name(result, requestId);
  const answers: WithheldCalls["answers"] = new Map();
  const notes: WithheldCalls["notes"] = new Map();
  for (const { position, tool } of calls) {
    const outcome = outcomes[position] ?? { kind: "refused", refusal: approvalMissing(tool.name) };
    switch (outcome.kind) {
      case "allowed":
      case "approved":
        if (outcome.kind === "approved" && outcome.editedInput) {
          notes.set(tool, describeChanges(changesBetween(tool.input, outcome.editedInput)));
          tool.input = outcome.editedInput;
        }
        runtime.tickets.set(tool.input, {
          toolName: tool.name,
          callKey: `${key}:${position}`,
          outcome,
          subject,
          agents,
          addNote: (note) => notes.set(tool, [notes.get(tool), note].filter(Boolean).join(" ")),
        });
        break;
      case "refused":
        leaveOutOversized(tool, runtime.limits.argumentBytes);
        answers.set(tool, refusalContent(outcome.refusal));
        break;
      case "responded":
        answers.set(tool, { data: outcome.response });
    }
  }
  await stream?.settle(
    requestId,
    calls.map(({ tool }) => ({
      id: tool.id,
      toolName: tool.name,
      input: tool.input,
      ...(answers.has(tool) && { answer: { content: answers.get(tool) } }),
    })),
  );
  // Calls that have not run yet may still add notes.
  if (outcomes.every(({ kind }) => kind === "allowed")) return undefined;
  const withheld = { output: result.output, answers, notes };
  result.output = withholdAnswered(result.output, answers);
  return withheld;
}

/**
 * Shortens the arguments of a refused call in the transcript. The next model request repeats them, and Inngest would
 * refuse a request of that size.
 */
function leaveOutOversized(tool: ToolMessage, maxBytes: number): void {
  const bytes = bytesOf(JSON.stringify(tool.input) ?? "");
  if (bytes > maxBytes) tool.input = { left_out: `[arguments of ${sizeText(bytes)}]` };
}
