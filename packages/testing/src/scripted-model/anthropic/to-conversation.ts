import { appendAssistant, appendToolAnswer } from "../append-turn.js";
import { blocksText } from "../content-text.js";
import type { Conversation, ConversationTurn, OfferedTool } from "../conversation.js";
import type { AnthropicRequest } from "./request.js";

/** Reads a checked request as a conversation. */
export function toConversation(request: AnthropicRequest): Conversation {
  const messages: ConversationTurn[] = [];
  for (const { role, content } of request.messages) {
    const text = blocksText(content);
    if (role === "assistant") {
      const calls = content.flatMap((block) =>
        block.type === "tool_use" ? [{ id: block.id, name: block.name, input: block.input }] : [],
      );
      appendAssistant(messages, text, calls);
      continue;
    }
    for (const block of content) {
      if (block.type === "tool_result") {
        appendToolAnswer(messages, block.tool_use_id, blocksText(block.content ?? []));
      }
    }
    if (text !== "") messages.push({ role: "user", text });
  }
  return {
    format: "anthropic",
    system: blocksText(request.system ?? []),
    messages,
    tools: (request.tools ?? []).map(offered),
  };
}

function offered(tool: NonNullable<AnthropicRequest["tools"]>[number]): OfferedTool {
  return {
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    parameters: tool.input_schema,
  };
}
