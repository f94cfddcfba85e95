import type { ContextMessage } from "../../api/approval.js";

/** A message of the conversation as text. Tool calls are shown as their names and arguments. */
export function messageText(message: ContextMessage): string {
  if ("toolCalls" in message) {
    return message.toolCalls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join("\n");
  }
  return typeof message.content === "string" ? message.content : JSON.stringify(message.content);
}
