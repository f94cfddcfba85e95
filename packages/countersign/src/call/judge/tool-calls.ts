import type { Message, ToolMessage } from "../message.js";

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
