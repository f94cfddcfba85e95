import { anthropicFormat } from "./anthropic/anthropic-format.js";
import type { ConversationTurn, ModelFormat } from "./conversation.js";
import { ModelRefusal } from "./model-refusal.js";
import { openAiFormat } from "./openai/openai-format.js";

/** Why a provider would refuse these turns; `undefined` if it would accept them. */
export function refusalOf(turns: readonly ConversationTurn[], format: ModelFormat): string | undefined {
  try {
    if (format === "openai") openAiFormat.accept({ model: "any", messages: turns.map(openAiMessage) });
    else anthropicFormat.accept({ model: "any", max_tokens: 1, messages: turns.map(anthropicMessage) });
    return undefined;
  } catch (error) {
    if (error instanceof ModelRefusal) return error.message;
    throw error;
  }
}

function openAiMessage(turn: ConversationTurn): unknown {
  switch (turn.role) {
    case "user":
      return { role: "user", content: turn.text };
    case "tool":
      return { role: "tool", tool_call_id: turn.toolCallId, content: turn.content };
    case "assistant":
      return {
        role: "assistant",
        content: turn.text ?? null,
        ...(turn.toolCalls.length > 0 && {
          tool_calls: turn.toolCalls.map(({ id, name, input }) => ({
            id,
            type: "function",
            function: { name, arguments: JSON.stringify(input) },
          })),
        }),
      };
  }
}

function anthropicMessage(turn: ConversationTurn): unknown {
  switch (turn.role) {
    case "user":
      return { role: "user", content: turn.text };
    case "tool":
      return {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: turn.toolCallId, content: turn.content }],
      };
    case "assistant":
      return {
        role: "assistant",
        content: [
          ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]),
          ...turn.toolCalls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input })),
        ],
      };
  }
}
