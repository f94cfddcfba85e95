import type { Conversation } from "@countersign/testing";
import type { ThreadMessage } from "countersign/types";

/** The messages that a model was sent, as one short line each. */
export function spoken(messages: Conversation["messages"]): string[] {
  return messages.flatMap((turn) => {
    if (turn.role === "user") return `user: ${turn.text}`;
    if (turn.role === "tool") return `result: ${turn.content}`;
    const calls = turn.toolCalls.map(({ name }) => name).join(", ");
    // A provider gets successive texts as one turn.
    const texts = (turn.text ?? "").split("\n").filter((text) => text !== "");
    return [...texts.map((text) => `agent: ${text}`), ...(calls === "" ? [] : [`call: ${calls}`])];
  });
}

/** The messages of a thread, as the same lines. */
export function spokenOf(messages: readonly ThreadMessage[]): string[] {
  return messages.map((message) => {
    if (message.role === "user") return `user: ${message.content}`;
    if (message.role === "tool") return `result: ${JSON.stringify(message.content)}`;
    if ("content" in message) return `agent: ${message.content}`;
    return `call: ${message.toolCalls.map(({ name }) => name).join(", ")}`;
  });
}
