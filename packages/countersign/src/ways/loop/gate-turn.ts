import * as z from "zod";
import { mistake } from "../../call/run/mistake.js";
import { type ConversationMessage, conversationUpTo } from "./conversation.js";
import { throwNotedFailure } from "./failures.js";
import { responseOf } from "./response-of.js";
import { type Gate, runOf } from "./review-calls.js";
import { saveResponses } from "./unsaved-responses.js";

const text = z.string();

/** Saves the user's message, and returns the conversation up to it. */
export async function beginTurn(gate: Gate, message: string): Promise<ConversationMessage[]> {
  const { runtime, subject } = gate;
  const { tenantId, threadId, requester } = subject;
  if (!text.safeParse(message).success || message.trim() === "") {
    throw mistake("invalid_request", "gate.begin(): message: must be the text that the user wrote.");
  }
  await runOf(gate, "gate.begin()");
  if (threadId === null) {
    throw mistake(
      "invalid_context",
      "gate.begin(): context.threadId: is missing. Name the thread: countersign.gate({ step, context: { threadId } }).",
    );
  }
  if (gate.turn) {
    throw mistake("invalid_context", "gate.begin(): a turn has begun already. Call gate.end(text) first.");
  }
  const thread = { tenantId, threadId, ownerId: requester?.id ?? null };
  const { turn, earlier } = await runtime.conversations.begin(thread, message);
  gate.turn = turn;
  return conversationUpTo(message, earlier);
}

/** Saves the agent's last text, and ends the turn. */
export async function endTurn(gate: Gate, said: string): Promise<void> {
  const { runtime, agentName, turn } = gate;
  if (!text.safeParse(said).success) {
    throw mistake("invalid_request", "gate.end(): text: must be the text that the agent answers with.");
  }
  await runOf(gate, "gate.end()");
  if (!turn) {
    throw mistake("invalid_context", "gate.end(): no turn has begun. Call gate.begin(message) first.");
  }
  throwNotedFailure();
  await saveResponses();
  if (said.trim() !== "") await runtime.conversations.save(turn, responseOf(agentName, said));
  await runtime.conversations.end(turn);
  gate.turn = undefined;
}
