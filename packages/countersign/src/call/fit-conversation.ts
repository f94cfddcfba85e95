import { bytesOf, sizeText } from "@countersign/policy/internal/shared/byte-size";
import type { Message } from "./message.js";

/**
 * Maximum bytes of JSON of a model request's messages. Inngest accepts 4 MiB, and providers' formats escape strings
 * once more.
 */
const maxConversationBytes = 3_000_000;
/** Minimum size of a result to omit; omitting smaller ones gains nothing. */
const minResultBytes = 1000;

/**
 * The messages of a model request. If together they exceed what Inngest accepts as a step's input, text replaces the
 * oldest large tool results. The calls stay, so the transcript stays valid.
 */
export function fitConversation(messages: Message[], maxBytes = maxConversationBytes): Message[] {
  let total = messages.reduce((sum, message) => sum + sentBytes(message), 0);
  if (total <= maxBytes) return messages;
  return messages.map((message) => {
    if (total <= maxBytes || message.type !== "tool_result") return message;
    const bytes = sentBytes(message);
    if (bytes < minResultBytes) return message;
    const content = {
      left_out: `The tool ran or was answered earlier. Its result of ${sizeText(bytes)} is omitted, because the conversation is too long.`,
    };
    const shortened = { ...message, content };
    total -= bytes - sentBytes(shortened);
    return shortened;
  });
}

/** In a JSON string, a character of JSON becomes one or two ASCII characters, or three bytes of UTF-8. */
const maxSentBytesPerCharacter = 3;

/**
 * The result of an allowed tool, or text in its place if it alone exceeds a model request. A gated call has its own
 * limit, and an approval that keeps the rest.
 */
export function fitResult(result: unknown, maxBytes = maxConversationBytes): unknown {
  const json = jsonOf(result);
  if (json.length <= maxBytes / maxSentBytesPerCharacter) return result;
  if (bytesOf(JSON.stringify(json)) <= maxBytes) return result;
  return `The tool ran; its result of ${sizeText(bytesOf(json))} is too large for a conversation and was not stored. Do not repeat the same call; request less data if the tool supports it.`;
}

/** Empty for values that JSON cannot hold, which AgentKit reports in its own way. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** A result is sent as JSON in a string, so its quotes are escaped. */
function sentBytes(message: Message): number {
  if (message.type === "text") return bytesOf(JSON.stringify(message.content));
  const sent = message.type === "tool_result" ? message.content : message.tools.map(({ input }) => input);
  return bytesOf(JSON.stringify(JSON.stringify(sent) ?? ""));
}
