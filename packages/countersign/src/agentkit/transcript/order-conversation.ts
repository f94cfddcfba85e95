import type { Agent, StateData } from "@inngest/agent-kit";
import type { Message, ModelResponse } from "../../call/message.js";
import type { RunningTurn } from "../../call/run/turn.js";

const loaded = new WeakSet<object>();

/** Marks results that came from storage, to distinguish them from those of the current run. */
export function markLoaded<Result extends object>(results: Result[]): Result[] {
  for (const result of results) loaded.add(result);
  return results;
}

export function isLoaded(result: object): boolean {
  return loaded.has(result);
}

const asked = new WeakMap<object, Set<RunningTurn>>();

/**
 * Remembers that a turn's message precedes the first of its results in this state. AgentKit keeps results only, so a
 * later turn with the same state, or with a clone of it, would not know what they answer.
 */
export function markAsked(turn: RunningTurn, state: { results: readonly object[] }): void {
  const loadedCount = state.results.filter(isLoaded).length;
  const first = state.results[Math.max(turn.earlierResults, loadedCount)];
  if (first && turn.content.trim() !== "") asked.set(first, (asked.get(first) ?? new Set()).add(turn));
}

/**
 * Orders prompt and history so that the user's new message follows all earlier ones. AgentKit puts the new message
 * first, which reads as if the oldest messages had come after it.
 *
 * @param turn The turn that the prompt belongs to; `undefined` if it belongs to none.
 */
export function orderConversation<T extends StateData>(
  { prompt, history = [], network }: Agent.LifecycleArgs.Before<T>,
  turn: RunningTurn | undefined,
): { prompt: Message[]; history: Message[] } {
  const results = network?.state.results ?? [];
  const isEarlier = (result: object, index: number) =>
    index < (turn?.earlierResults ?? 0) || loaded.has(result);
  const messagesOf = (some: readonly ModelResponse[], from: number): Message[] => {
    let at = from;
    return some.flatMap((result) => {
      const start = at;
      at += result.output.length + result.toolCalls.length;
      const questions = [...(asked.get(result) ?? [])].filter((other) => other !== turn).map(userMessage);
      return [...questions, ...history.slice(start, at)];
    });
  };
  const earlier = results.filter(isEarlier);
  const later = results.filter((result, index) => !isEarlier(result, index));
  const offset = network?.state.messages.length ?? 0;
  const middle = offset + lengthOf(earlier);
  const before = [...history.slice(0, offset), ...messagesOf(earlier, offset)];
  const after = [...messagesOf(later, middle), ...history.slice(middle + lengthOf(later))];
  if (earlier.length === 0) return { prompt, history: [...before, ...after] };
  const system = prompt.filter((message) => message.role === "system");
  const question = prompt.filter((message) => message.role !== "system");
  const [first] = before;
  const beginning = first?.role === "user" ? [] : [userMessage({ content: unknownBeginning })];
  return { prompt: system, history: [...beginning, ...before, ...question, ...after] };
}

/** Replaces an unknown user message. Providers require that a conversation begins with a user. */
export const unknownBeginning = "(The conversation started earlier.)";

function userMessage({ content }: Pick<RunningTurn, "content">): Message {
  return { type: "text", role: "user", content };
}

function lengthOf(results: readonly ModelResponse[]): number {
  return results.reduce((sum, { output, toolCalls }) => sum + output.length + toolCalls.length, 0);
}
