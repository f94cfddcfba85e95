import type { AgentMessageChunk } from "@inngest/agent-kit";
import { isPlainObject } from "../../shared/plain-object.js";

/** How values of calls that were shown before are changed. */
export interface ShownValues {
  input(callId: string, input: unknown): unknown;
  output(callId: string, output: unknown): unknown;
}

/** Gives the parts of AgentKit's stream the ids of the model's calls. */
export interface PartNames {
  /** The stream shows this call already. */
  shown(callId: string): void;
  isShown(callId: string): boolean;
  /** AgentKit runs these calls of the present response next, in this order. */
  expect(calls: readonly { id: string; toolName: string }[]): void;
  /** The chunk under the call's id, with its place in the sequence. */
  rename(chunk: AgentMessageChunk, values: ShownValues): AgentMessageChunk;
}

export function createPartNames(): PartNames {
  const shownCalls = new Set<string>();
  let expected: { id: string; toolName: string }[] = [];
  /** The call of each of AgentKit's parts. */
  const callOf = new Map<string, string>();
  /** The call that AgentKit runs. */
  let running: string | undefined;

  const next = (metadata: unknown): string | undefined => {
    const [call] = expected;
    const names = isPlainObject(metadata) && call?.toolName === metadata.toolName;
    return names ? expected.shift()?.id : undefined;
  };

  return {
    shown: (callId) => void shownCalls.add(callId),
    isShown: (callId) => shownCalls.has(callId),
    expect: (calls) => {
      expected = [...calls];
      running = undefined;
    },
    rename(chunk, values) {
      const { event, data } = chunk;
      const { partId, type } = data;
      if (typeof partId !== "string") return chunk;
      if (event === "part.created") {
        if (type === "tool-call") running = next(data.metadata);
        if ((type === "tool-call" || type === "tool-output") && running !== undefined)
          callOf.set(partId, running);
      }
      const callId = callOf.get(partId);
      if (callId === undefined) return chunk;
      const renamed = { ...chunk, data: { ...data, partId: callId } };
      return shownCalls.has(callId) ? shownAgain(renamed, callId, values) : renamed;
    },
  };
}

/**
 * The chunk of a call that the stream shows already. Clients apply chunks in the order of their numbers and wait for a
 * missing one, so none is left out: a second `part.created` would show the call twice, so it becomes an empty delta.
 * Deltas carry values as pieces of text, in which nothing can be hidden, so they are emptied.
 */
function shownAgain(chunk: AgentMessageChunk, callId: string, values: ShownValues): AgentMessageChunk {
  const { event, data } = chunk;
  switch (event) {
    case "part.created":
      if (data.type !== "tool-call") return chunk;
      return { ...chunk, event: "tool_call.arguments.delta", data: { ...data, delta: "{}" } };
    case "tool_call.arguments.delta":
      return { ...chunk, data: { ...data, delta: "{}" } };
    case "tool_call.output.delta":
      return { ...chunk, data: { ...data, delta: "" } };
    case "part.completed": {
      const { type, finalContent } = data;
      if (type === "tool-call")
        return { ...chunk, data: { ...data, finalContent: values.input(callId, finalContent) } };
      return { ...chunk, data: { ...data, finalContent: values.output(callId, finalContent) } };
    }
    default:
      return chunk;
  }
}
