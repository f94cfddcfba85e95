import type { Message } from "../../call/message.js";

/** Puts calls and their results into the order that the API of the agent's model accepts. */
export function arrangeCalls(messages: readonly Message[], format: string | undefined): Message[] {
  return format === "gemini" ? pairCalls(messages) : joinCalls(messages);
}

/**
 * Joins calls that are answered together into one message, right before their results. Anthropic sends each call as its
 * own message, which OpenAI refuses when the conversation continues there.
 */
function joinCalls(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  let response: Message[] = [];
  for (const message of messages) {
    if (isResponse(message)) {
      response.push(message);
      continue;
    }
    joined.push(...(message.type === "tool_result" ? callsLast(response) : response), message);
    response = [];
  }
  return [...joined, ...response];
}

function isResponse(message: Message): boolean {
  return message.type === "tool_call" || (message.type === "text" && message.role === "assistant");
}

function callsLast(response: readonly Message[]): Message[] {
  const calls = response.filter((message) => message.type === "tool_call");
  const last = calls.at(-1);
  if (!last) return [...response];
  const texts = response.filter((message) => message.type !== "tool_call");
  return [...texts, { ...last, tools: calls.flatMap(({ tools }) => tools) }];
}

/**
 * Gives each call a message of its own, right before its result. AgentKit sends Gemini only the first call of a message,
 * and Gemini refuses results without their calls.
 */
function pairCalls(messages: readonly Message[]): Message[] {
  const moved = new Set<number>();
  const takeResult = (callId: string, from: number): Message[] => {
    const at = messages.findIndex(
      (message, index) =>
        index > from && !moved.has(index) && message.type === "tool_result" && message.tool.id === callId,
    );
    moved.add(at);
    return at < 0 ? [] : messages.slice(at, at + 1);
  };
  return messages.flatMap((message, index) => {
    if (moved.has(index)) return [];
    if (message.type !== "tool_call") return [message];
    return message.tools.flatMap((tool) => [{ ...message, tools: [tool] }, ...takeResult(tool.id, index)]);
  });
}
