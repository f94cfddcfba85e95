import type { ThreadMessage } from "countersign/types";
import { appendAssistant, appendToolAnswer } from "../scripted-model/append-turn.js";
import { refusalOf } from "../scripted-model/check-turns.js";
import type { ConversationTurn, ModelFormat, RecordedRequest } from "../scripted-model/index.js";

const formats: readonly ModelFormat[] = ["openai", "anthropic"];

/** Everything in the model requests and in the saved conversations that OpenAI or Anthropic would refuse. */
export function transcriptProblems(
  requests: readonly RecordedRequest[],
  conversations: readonly { threadId: string; messages: readonly ThreadMessage[] }[],
): string[] {
  return [
    ...requests.flatMap(({ format, error, conversation }, index) => {
      const about = `model request ${index + 1}`;
      return conversation ? problemsOf(about, conversation.messages) : [`${about}, ${format}: ${error}`];
    }),
    ...conversations.flatMap(({ threadId, messages }) =>
      problemsOf(`thread "${threadId}"`, turnsOf(messages)),
    ),
  ];
}

function problemsOf(about: string, turns: readonly ConversationTurn[]): string[] {
  return formats.flatMap((format) => {
    const refusal = refusalOf(turns, format);
    return refusal === undefined ? [] : [`${about}, ${format}: ${refusal}`];
  });
}

function turnsOf(messages: readonly ThreadMessage[]): ConversationTurn[] {
  const turns: ConversationTurn[] = [];
  for (const message of messages) {
    if (message.role === "user") turns.push({ role: "user", text: message.content });
    else if (message.role === "tool") {
      appendToolAnswer(turns, message.toolCallId, JSON.stringify(message.content));
    } else if ("content" in message) appendAssistant(turns, message.content, []);
    else appendAssistant(turns, "", message.toolCalls);
  }
  return turns;
}
