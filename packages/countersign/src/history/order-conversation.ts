import type { Agent, AgentResult, Message, StateData } from "@inngest/agent-kit";

const loaded = new WeakSet<AgentResult>();

/** Marks results that came from storage, to tell them from those of the present run. */
export function markLoaded(results: AgentResult[]): AgentResult[] {
  for (const result of results) loaded.add(result);
  return results;
}

/**
 * Prompt and history so that the user's new message follows the thread's earlier messages. AgentKit puts the new
 * message first, which reads as if the oldest messages had come after it.
 */
export function orderConversation<T extends StateData>(
  args: Agent.LifecycleArgs.Before<T>,
): { prompt: Message[]; history: Message[] } {
  const { prompt, history = [], network } = args;
  const earlier = (network?.state.results ?? []).filter((result) => loaded.has(result));
  if (earlier.length === 0) return { prompt, history };
  const count = earlier.reduce((sum, result) => sum + result.output.length + result.toolCalls.length, 0);
  const offset = network?.state.messages.length ?? 0;
  const system = prompt.filter((message) => message.role === "system");
  const asked = prompt.filter((message) => message.role !== "system");
  const before = history.slice(0, offset + count);
  return { prompt: system, history: [...before, ...asked, ...history.slice(offset + count)] };
}

/**
 * The same conversation in which the calls that are answered together stand in one message, right before their results. From
 * Anthropic each call comes as a message of its own, which OpenAI refuses in a conversation that goes on there.
 */
export function joinCalls(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  let said: Message[] = [];
  for (const message of messages) {
    if (isSaid(message)) {
      said.push(message);
      continue;
    }
    joined.push(...(message.type === "tool_result" ? callsLast(said) : said), message);
    said = [];
  }
  return [...joined, ...said];
}

function isSaid(message: Message): boolean {
  return message.type === "tool_call" || (message.type === "text" && message.role === "assistant");
}

function callsLast(said: readonly Message[]): Message[] {
  const calls = said.filter((message) => message.type === "tool_call");
  const last = calls.at(-1);
  if (!last) return [...said];
  const words = said.filter((message) => message.type !== "tool_call");
  return [...words, { ...last, tools: calls.flatMap(({ tools }) => tools) }];
}
