import type { Message, ToolMessage } from "@inngest/agent-kit";
import { derivedId } from "../../shared/canonical-hash.js";
import type { Subject } from "../run/subject.js";

/** One tool call of a response, with its position. `tool` is AgentKit's own object, whose `input` the handler gets. */
export interface ProposedToolCall {
  position: number;
  tool: ToolMessage;
}

/** All tool calls of a response in order. */
export function toolCallsOf(output: readonly Message[]): ProposedToolCall[] {
  return output
    .flatMap((message) => (message.type === "tool_call" ? message.tools : []))
    .map((tool, position) => ({ position, tool }));
}

const occurrences = new WeakMap<object, Map<string, number>>();

/**
 * Names a response so that every replay finds the same name: from its subject, its agent, its content, and the number
 * of equal responses before it in this execution. Content rather than order, because agents that run in parallel may
 * finish in any order. It names steps, which only those see who see the model's answers too; ids that people see are
 * derived from it with a secret.
 */
export function responseKey(execution: object, response: readonly unknown[]): string {
  const seen = occurrences.get(execution) ?? new Map<string, number>();
  occurrences.set(execution, seen);
  const content = derivedId("res", JSON.stringify(response));
  const index = seen.get(content) ?? 0;
  seen.set(content, index + 1);
  return `${content}.${index}`;
}

/**
 * The values that name an agent's response. They derive step ids: a run that continues after an upgrade would repeat
 * its calls if they changed. So rules are among them as they were given, not as this version compiles them, and the
 * agent's profile is not: a call keeps the verdict of its proposal.
 */
export function namesOf(subject: Subject, agentName: string, modelOutput: string): unknown[] {
  const { tenantId, threadId, requester, threadRulesGiven: threadRules } = subject;
  return [{ tenantId, threadId, requester, threadRules }, agentName, modelOutput];
}

/** Gives the calls these ids, in place. */
export function setCallIds(calls: readonly ProposedToolCall[], ids: readonly string[]): void {
  for (const { tool, position } of calls) tool.id = ids[position] ?? tool.id;
}

/**
 * Gives each call its own input object, in place. The object's identity tells the guard which call a handler was
 * entered for.
 */
export function separateInputs(calls: readonly ProposedToolCall[]): void {
  const seen = new Set<unknown>();
  for (const { tool } of calls) {
    const input: unknown = tool.input ?? {};
    tool.input = (seen.has(input) ? structuredClone(input) : input) as ToolMessage["input"];
    seen.add(tool.input);
  }
}
