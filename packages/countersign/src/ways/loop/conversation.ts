import type { ModelResponse } from "../../call/message.js";
import { contentOf } from "./call-end.js";
import type { GateCall } from "./read-calls.js";

/** A message of a conversation, for a model. Each response with calls is followed by the results of all of them. */
export type ConversationMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: string; calls: GateCall[] }
  | { role: "tool"; results: ConversationResult[] };

/** What a call's model reads about it. */
export interface ConversationResult {
  /** The id of the call. */
  id: string;
  /** The name of the tool. */
  name: string;
  content: string;
  isError: boolean;
}

/** The conversation up to a user's message. */
export function conversationUpTo(message: string, earlier: readonly ModelResponse[]): ConversationMessage[] {
  return [...earlier.flatMap(messagesOf), { role: "user", content: message }];
}

function messagesOf({ output, toolCalls }: ModelResponse): ConversationMessage[] {
  const messages: ConversationMessage[] = [];
  let text = "";
  let calls: GateCall[] = [];
  for (const part of output) {
    if (part.type === "text" && part.role === "user") {
      messages.push({ role: "user", content: textOf(part.content) });
    } else if (part.type === "text" && part.role === "assistant") {
      text += textOf(part.content);
    } else if (part.type === "tool_call") {
      calls = [...calls, ...part.tools.map(({ id, name, input }) => ({ id, name, input }))];
    }
  }
  // Providers refuse a message without content.
  if (text.trim() !== "" || calls.length > 0) messages.push({ role: "assistant", content: text, calls });
  if (calls.length > 0) {
    messages.push({ role: "tool", results: calls.map((call) => resultOf(call, toolCalls)) });
  }
  return messages;
}

function textOf(content: string | { text: string }[]): string {
  return typeof content === "string" ? content : content.map(({ text }) => text).join("");
}

function resultOf({ id, name }: GateCall, toolCalls: ModelResponse["toolCalls"]): ConversationResult {
  const answer = toolCalls.find(({ tool }) => tool.id === id);
  const content: unknown = answer?.content;
  if (!answer) {
    return { id, name, content: "The outcome of this call is unknown. Do not repeat it.", isError: true };
  }
  if (typeof content !== "object" || content === null) {
    return { id, name, content: contentOf(content, ""), isError: false };
  }
  if ("error" in content && content.error !== undefined) {
    return { id, name, content: errorText(content.error), isError: true };
  }
  const { note } = content as { note?: unknown };
  const data: unknown = "data" in content ? content.data : content;
  return { id, name, content: contentOf(data, typeof note === "string" ? note : ""), isError: false };
}

function errorText(error: unknown): string {
  const { name, message, code } = Object(error) as { name?: unknown; message?: unknown; code?: unknown };
  if (typeof message !== "string") return JSON.stringify(error);
  // A refusal says by itself what it is.
  return typeof name === "string" && code === undefined ? `${name}: ${message}` : message;
}
