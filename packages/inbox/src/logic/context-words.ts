import type { ContextMessage } from "../api/approval.js";

/** One message of the conversation as text; calls of tools by their names and arguments. */
export function contextWords({ content, toolCalls }: ContextMessage): string {
  if (typeof content === "string") return content;
  if (toolCalls) return toolCalls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join("\n");
  return content === undefined ? "" : JSON.stringify(content);
}
