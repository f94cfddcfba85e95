import type { AssistantTurn, ConversationToolCall, ConversationTurn, ToolTurn } from "./conversation.js";

/**
 * Adds an assistant's message. Consecutive assistant messages become one turn, because a client may split one answer
 * into its text and its calls, and a script should not see a difference between formats.
 */
export function appendAssistant(
  turns: ConversationTurn[],
  text: string,
  toolCalls: ConversationToolCall[],
): void {
  const last = turns.at(-1);
  if (last?.role === "assistant") {
    if (text !== "") last.text = last.text === undefined ? text : `${last.text}\n${text}`;
    last.toolCalls.push(...toolCalls);
    return;
  }
  const turn: AssistantTurn = { role: "assistant", toolCalls: [...toolCalls] };
  if (text !== "") turn.text = text;
  turns.push(turn);
}

/** Adds the answer to a call, named after the latest call with that id. */
export function appendToolAnswer(turns: ConversationTurn[], toolCallId: string, content: string): void {
  const turn: ToolTurn = { role: "tool", toolCallId, toolName: toolNameOf(turns, toolCallId), content };
  const parsed = parseJson(content);
  if (parsed.ok) turn.parsed = parsed.value;
  turns.push(turn);
}

function toolNameOf(turns: ConversationTurn[], id: string): string {
  for (const turn of turns.toReversed()) {
    if (turn.role !== "assistant") continue;
    const call = turn.toolCalls.find((candidate) => candidate.id === id);
    if (call) return call.name;
  }
  return "";
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
