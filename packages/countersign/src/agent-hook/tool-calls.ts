import type { Message, ToolMessage } from "@inngest/agent-kit";
import { derivedId } from "../approval/digest.js";
import type { Subject } from "../runtime.js";

/** One tool call of a response, at its place. `tool` is AgentKit's own object, whose `input` the handler gets. */
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
 * Names a response so that every replay finds the same name: for whom and by which agent it was made, its content,
 * and how often the same came before in this execution. Content rather than order, because agents that run side by
 * side may finish in any order.
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
 * What an agent's response is named by. A run that goes on after an upgrade of Countersign must find its steps again, or
 * it would make its calls anew: nothing may be added here or take another place.
 */
export function namesOf(subject: Subject, agentName: string, said: string): unknown[] {
  const { tenantId, threadId, requester, threadRules } = subject;
  return [{ tenantId, threadId, requester, threadRules }, agentName, said];
}

/**
 * Gives calls whose id is empty or taken another one, in place, so that the transcript pairs each call with its
 * result; some providers send such ids, and others refuse them later.
 */
export function repairToolCallIds(key: string, calls: readonly ProposedToolCall[]): void {
  const taken = new Set<string>();
  for (const { tool, position } of calls) {
    if (!tool.id || taken.has(tool.id)) tool.id = derivedId("call", key, position);
    taken.add(tool.id);
  }
}

/**
 * Gives each call an input object of its own, in place: the object's identity is how the guard knows which call
 * a handler was entered for.
 */
export function separateInputs(calls: readonly ProposedToolCall[]): void {
  const seen = new Set<unknown>();
  for (const { tool } of calls) {
    const input: unknown = tool.input ?? {};
    tool.input = (seen.has(input) ? structuredClone(input) : input) as ToolMessage["input"];
    seen.add(tool.input);
  }
}
