import type { ConversationMessage } from "../loop/conversation.js";

/** A message as `generateText` and agents of the AI SDK take it. */
export type AiMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; content: (AiText | AiToolCall)[] }
  | { role: "tool"; content: AiToolResult[] };

/** A text in a message of the AI SDK. */
export interface AiText {
  type: "text";
  text: string;
}

/** A call in a message of the AI SDK. */
export interface AiToolCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}

/** A call's result in a message of the AI SDK. */
export interface AiToolResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text" | "error-text"; value: string };
}

/**
 * A conversation for `messages` of `generateText`, `streamText` and `ToolLoopAgent`.
 *
 * @example
 * ```ts
 * import type { RunGate } from "countersign";
 * import { modelMessages } from "countersign/ai-sdk";
 *
 * export const messagesFor = async (gate: RunGate, text: string) => modelMessages(await gate.begin(text));
 * ```
 */
export function modelMessages(conversation: readonly ConversationMessage[]): AiMessage[] {
  return conversation.map(modelMessage);
}

function modelMessage(message: ConversationMessage): AiMessage {
  switch (message.role) {
    case "user":
      return message;
    case "assistant": {
      const texts: AiText[] = message.content.trim() === "" ? [] : [{ type: "text", text: message.content }];
      const calls = message.calls.map(({ id, name, input }) => ({
        type: "tool-call" as const,
        toolCallId: id,
        toolName: name,
        input,
      }));
      return { role: "assistant", content: [...texts, ...calls] };
    }
    case "tool":
      return {
        role: "tool",
        content: message.results.map(({ id, name, content, isError }) => ({
          type: "tool-result" as const,
          toolCallId: id,
          toolName: name,
          output: { type: isError ? "error-text" : "text", value: content },
        })),
      };
  }
}
