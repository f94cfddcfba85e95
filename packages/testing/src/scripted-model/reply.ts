import { createHash } from "node:crypto";
import type { Conversation, ConversationToolCall, ModelFormat } from "./conversation.js";

/** What a script answers. A call without an `id` gets one; a script may also force equal or empty ids. */
export interface Reply {
  text?: string;
  toolCalls?: { id?: string; name: string; input: unknown }[];
}

export interface ResolvedReply {
  /** Names this answer; equal for equal conversations. */
  fingerprint: string;
  text: string;
  toolCalls: ConversationToolCall[];
}

const idPrefix: Record<ModelFormat, string> = { openai: "call_", anthropic: "toolu_" };

/**
 * Gives every call its id. Ids come from the conversation, so that a repeated request (a retry, a replay) gets the same
 * answer, byte for byte, and two turns of one conversation never share one.
 */
export function resolveReply(conversation: Conversation, reply: Reply): ResolvedReply {
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([conversation.system, conversation.messages]))
    .digest("hex")
    .slice(0, 22);
  const toolCalls = (reply.toolCalls ?? []).map((call, index) => ({
    id: call.id ?? `${idPrefix[conversation.format]}${fingerprint}_${index}`,
    name: call.name,
    input: call.input ?? {},
  }));
  return { fingerprint, text: reply.text ?? "", toolCalls };
}
