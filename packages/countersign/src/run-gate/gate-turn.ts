import { z } from "zod";
import { type ConversationMessage, conversationUpTo } from "./conversation.js";
import { mistake } from "./mistake.js";
import { responseOf } from "./response-of.js";
import { type Gate, runOf } from "./review-calls.js";
import { saveResponses } from "./unsaved-responses.js";

/** Saves the user's message, and returns the conversation up to it. */
export async function beginTurn(gate: Gate, message: string): Promise<ConversationMessage[]> {
  const { runtime, subject } = gate;
  const { tenantId, threadId, requester } = subject;
  if (!z.string().safeParse(message).success) {
    throw mistake("invalid_request", "gate.begin(): message: must be the text that the user wrote.");
  }
  await runOf(gate, "gate.begin()");
  if (threadId === null) {
    throw mistake(
      "invalid_context",
      "gate.begin(): context.threadId: is missing. Name the thread: countersign.gate({ step, context: { threadId } }).",
    );
  }
  const thread = { tenantId, threadId, ownerId: requester?.id ?? null };
  const { turn, earlier } = await runtime.conversations.begin(thread, message);
  gate.turn = turn;
  return conversationUpTo(message, earlier);
}

/** Saves the agent's last text, and ends the turn. */
export async function endTurn(gate: Gate, text: string): Promise<void> {
  const { runtime, agentName, turn } = gate;
  if (!z.string().safeParse(text).success) {
    throw mistake("invalid_request", "gate.end(): text: must be the text that the agent answers with.");
  }
  await runOf(gate, "gate.end()");
  if (!turn) {
    throw mistake("invalid_context", "gate.end(): no turn has begun. Call gate.begin(message) first.");
  }
  await saveResponses();
  if (text.trim() !== "") await runtime.conversations.save(turn, responseOf(agentName, text));
  await runtime.conversations.end(turn);
}
