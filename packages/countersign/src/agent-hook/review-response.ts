import type { Agent, AgentResult, NetworkRun, StateData } from "@inngest/agent-kit";
import { changesBetween, describeChanges } from "../decision/changes.js";
import type { Runtime } from "../runtime.js";
import { callOutcomes, notDecided } from "./call-outcomes.js";
import { guardTools } from "./guard-tools.js";
import { currentRun } from "./inngest-run.js";
import { wordsOf } from "./said.js";
import { namesOf, repairToolCallIds, responseKey, separateInputs, toolCallsOf } from "./tool-calls.js";
import { refusalContent, type WithheldCalls, withholdAnswered } from "./transcript.js";

export interface ResponseArgs {
  agent: Agent<StateData>;
  network: NetworkRun<StateData> | undefined;
  /** The model's answer as JSON, before any hook saw it. */
  said: string;
  result: AgentResult;
}

/**
 * Decides about every tool call of a response before AgentKit runs any: allowed calls stay, gated ones wait for
 * their decision, refused and answered ones are withheld. Returns what `restoreAnswered` later needs.
 */
export async function reviewResponse(
  runtime: Runtime,
  profile: string | undefined,
  { agent, network, said, result }: ResponseArgs,
): Promise<WithheldCalls | undefined> {
  guardTools(runtime, profile, agent);
  const calls = toolCallsOf(result.output);
  if (calls.length === 0) return undefined;
  const run = await currentRun();
  const subject = runtime.subjectOfState(network?.state);
  const key = run ? responseKey(run.execution, namesOf(subject, result.agentName, said)) : "outside-inngest";
  repairToolCallIds(key, calls);
  separateInputs(calls);
  const { agentName } = result;
  const outcomes = await callOutcomes(runtime, run, {
    key,
    agentName,
    subject,
    profile,
    tools: agent.tools,
    calls,
    said: wordsOf(result.output),
  });
  const answers: WithheldCalls["answers"] = new Map();
  const notes: WithheldCalls["notes"] = new Map();
  for (const { position, tool } of calls) {
    const outcome = outcomes[position] ?? { kind: "refused", refusal: notDecided(tool.name) };
    switch (outcome.kind) {
      case "allowed":
        runtime.tickets.set(tool.input, { kind: "allowed", toolName: tool.name });
        break;
      case "approved": {
        const { approvalId, editedInput } = outcome;
        if (editedInput) {
          notes.set(tool, describeChanges(changesBetween(tool.input, editedInput)));
          tool.input = editedInput;
        }
        runtime.tickets.set(tool.input, { kind: "approved", toolName: tool.name, approvalId });
        break;
      }
      case "refused":
        answers.set(tool, refusalContent(outcome.refusal));
        break;
      case "responded":
        answers.set(tool, { data: outcome.response });
    }
  }
  if (answers.size === 0 && notes.size === 0) return undefined;
  const withheld = { output: result.output, answers, notes };
  result.output = withholdAnswered(result.output, answers);
  return withheld;
}
