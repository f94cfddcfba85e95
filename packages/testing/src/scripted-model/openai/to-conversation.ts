import { appendAssistant, appendToolAnswer } from "../append-turn.js";
import { blocksText } from "../content-text.js";
import type { Conversation, ConversationTurn, OfferedTool } from "../conversation.js";
import type { OpenAiRequest } from "./request.js";

/** Reads a checked request as a conversation. */
export function toConversation(request: OpenAiRequest): Conversation {
  const system: string[] = [];
  const messages: ConversationTurn[] = [];
  for (const message of request.messages) {
    const text = blocksText(message.content ?? []);
    switch (message.role) {
      case "system":
      case "developer":
        system.push(text);
        break;
      case "user":
        messages.push({ role: "user", text });
        break;
      case "assistant":
        appendAssistant(
          messages,
          text,
          (message.tool_calls ?? []).map((call) => ({
            id: call.id,
            name: call.function.name,
            input: JSON.parse(call.function.arguments),
          })),
        );
        break;
      case "tool":
        appendToolAnswer(messages, message.tool_call_id, text);
        break;
    }
  }
  return { format: "openai", system: system.join("\n"), messages, tools: offered(request.tools) };
}

function offered(tools: OpenAiRequest["tools"]): OfferedTool[] {
  return (tools ?? []).map(({ function: tool }) => ({
    name: tool.name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...(tool.parameters !== undefined && { parameters: tool.parameters }),
  }));
}
