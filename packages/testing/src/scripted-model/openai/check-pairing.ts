import { refuse } from "./refuse.js";
import type { OpenAiMessage } from "./request.js";

interface OpenCalls {
  /** Index of the assistant message that made the calls. */
  at: number;
  ids: Set<string>;
  answered: Map<string, number>;
}

/**
 * Checks that every tool call is answered exactly once, right after it was made. Ids must differ over the whole
 * conversation: a repeated id makes it ambiguous which call an answer belongs to.
 */
export function checkPairing(messages: readonly OpenAiMessage[]): void {
  const seen = new Map<string, number>();
  let open: OpenCalls | undefined;
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      answer(open, message.tool_call_id, index);
      continue;
    }
    requireAnswers(open, index);
    open = undefined;
    if (message.role !== "assistant") continue;
    if (!message.tool_calls) {
      requireContent(message.content, index);
      continue;
    }
    open = { at: index, ids: new Set(), answered: new Map() };
    for (const [position, call] of message.tool_calls.entries()) {
      const earlier = seen.get(call.id);
      if (earlier !== undefined) throw duplicate(call.id, earlier, index, `tool_calls[${position}].id`);
      seen.set(call.id, index);
      open.ids.add(call.id);
      requireJson(call.function.arguments, `messages[${index}].tool_calls[${position}].function.arguments`);
    }
  }
  requireAnswers(open, messages.length);
}

function answer(open: OpenCalls | undefined, id: string, index: number): void {
  if (!open) {
    throw refuse(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      `messages.[${index}].role`,
    );
  }
  if (!open.ids.has(id)) {
    throw refuse(
      `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
      `messages.[${index}].tool_call_id`,
    );
  }
  const earlier = open.answered.get(id);
  if (earlier !== undefined) throw duplicate(id, earlier, index, "tool_call_id");
  open.answered.set(id, index);
}

function requireAnswers(open: OpenCalls | undefined, index: number): void {
  if (!open) return;
  const unanswered = [...open.ids].filter((id) => !open.answered.has(id));
  if (unanswered.length === 0) return;
  throw refuse(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${unanswered.join(", ")}`,
    `messages.[${index}].role`,
  );
}

function requireContent(content: unknown, index: number): void {
  if (content !== null && content !== undefined) return;
  throw refuse("Invalid value for 'content': expected a string, got null.", `messages.[${index}].content`);
}

/** Stricter than the provider, which keeps old arguments unread; many servers of this format refuse them. */
function requireJson(text: string, param: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw refuse(
      `Invalid '${param}': expected a string containing valid JSON, but got invalid JSON instead.`,
      param,
      "invalid_value",
    );
  }
}

function duplicate(id: string, first: number, second: number, field: string) {
  return refuse(
    `Invalid parameter: Duplicate value for 'tool_call_id' of '${id}', in messages[${first}] and messages[${second}].`,
    `messages.[${second}].${field}`,
  );
}
