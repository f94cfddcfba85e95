import { refuse } from "./refuse.js";
import type { AnthropicMessage } from "./request.js";

/** Checks that every message says something: no empty message, no empty or blank text block. */
export function checkContent(messages: readonly AnthropicMessage[]): void {
  for (const [index, message] of messages.entries()) {
    const isLast = index === messages.length - 1;
    if (message.content.length === 0 && !(isLast && message.role === "assistant")) {
      throw refuse(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    for (const block of message.content) {
      if (block.type !== "text") continue;
      if (block.text === "") throw refuse("messages: text content blocks must be non-empty");
      if (block.text.trim() === "") {
        throw refuse("messages: text content blocks must contain non-whitespace text");
      }
    }
  }
}
