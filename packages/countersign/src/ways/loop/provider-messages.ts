import type { ConversationMessage } from "./conversation.js";

/** A message as OpenAI's Chat Completions take it. */
export type OpenAiMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: string | null; tool_calls?: OpenAiToolCall[] }
  | { role: "tool"; tool_call_id: string; content: string };

/** A call in a message of OpenAI's. */
export interface OpenAiToolCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/**
 * A conversation for OpenAI's Chat Completions, and for the many providers that speak its format.
 *
 * @example
 * ```ts
 * import { openAiMessages, type RunGate } from "countersign";
 *
 * export const messagesFor = async (gate: RunGate, text: string) => openAiMessages(await gate.begin(text));
 * ```
 */
export function openAiMessages(conversation: readonly ConversationMessage[]): OpenAiMessage[] {
  return conversation.flatMap((message): OpenAiMessage[] => {
    if (message.role === "user") return [{ role: "user", content: message.content }];
    if (message.role === "tool") {
      return message.results.map(({ id, content }) => ({ role: "tool", tool_call_id: id, content }));
    }
    const { content, calls } = message;
    const toolCalls = calls.map(({ id, name, input }) => ({
      id,
      type: "function" as const,
      function: { name, arguments: JSON.stringify(input) },
    }));
    return [
      {
        role: "assistant",
        content: content === "" ? null : content,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
      },
    ];
  });
}

/** A message as Anthropic's Messages API takes it. */
export type AnthropicMessage =
  | { role: "user"; content: (AnthropicText | AnthropicToolResult)[] }
  | { role: "assistant"; content: (AnthropicText | AnthropicToolUse)[] };

/** A text in a message of Anthropic's. */
export interface AnthropicText {
  type: "text";
  text: string;
}

/** A call in a message of Anthropic's. */
export interface AnthropicToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

/** A call's result in a message of Anthropic's. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string;
  is_error: boolean;
}

/**
 * A conversation for Anthropic's Messages API. Messages of one role are one message, as it wants them.
 *
 * @example
 * ```ts
 * import { anthropicMessages, type RunGate } from "countersign";
 *
 * export const messagesFor = async (gate: RunGate, text: string) => anthropicMessages(await gate.begin(text));
 * ```
 */
export function anthropicMessages(conversation: readonly ConversationMessage[]): AnthropicMessage[] {
  const messages: AnthropicMessage[] = [];
  for (const message of conversation.map(anthropicMessage)) {
    const last = messages.at(-1);
    if (last?.role === "user" && message.role === "user") last.content.push(...message.content);
    else if (last?.role === "assistant" && message.role === "assistant")
      last.content.push(...message.content);
    else messages.push(message);
  }
  return messages;
}

function anthropicMessage(message: ConversationMessage): AnthropicMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: textBlocks(message.content) };
    case "assistant": {
      const uses = message.calls.map(({ id, name, input }) => ({
        type: "tool_use" as const,
        id,
        name,
        input,
      }));
      return { role: "assistant", content: [...textBlocks(message.content), ...uses] };
    }
    case "tool":
      return {
        role: "user",
        content: message.results.map(({ id, content, isError }) => ({
          type: "tool_result" as const,
          tool_use_id: id,
          content,
          is_error: isError,
        })),
      };
  }
}

/** Anthropic refuses a text without characters. */
function textBlocks(text: string): AnthropicText[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}
