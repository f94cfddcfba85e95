import { isPlainObject } from "@countersign/policy/internal/shared/plain-object";
import type { StreamChunk } from "./stream-events.js";

/** Replaces values in the chunks of calls that the stream already shows, so that what rules hide stays hidden. */
export interface ShownValues {
  input(callId: string, input: unknown): unknown;
  output(callId: string, output: unknown): unknown;
}

/** Gives the parts of AgentKit's stream the ids of the model's calls. */
export interface PartNames {
  /** Records that the stream shows this call. */
  shown(callId: string): void;
  isShown(callId: string): boolean;
  /** AgentKit runs these calls of the current response next, in this order. */
  expect(calls: readonly { id: string; toolName: string }[]): void;
  /** The chunk under the call's id, with its place in the sequence. */
  rename(chunk: StreamChunk, values: ShownValues): StreamChunk;
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
 * The chunk of a call that the stream already shows. Clients apply chunks in the order of their numbers and wait for a
 * missing one, so no chunk may be left out. A second `part.created` would show the call twice, so it becomes an empty
 * delta. Other deltas are emptied too: they carry pieces of values, in which nothing can be redacted.
 */
function shownAgain(chunk: StreamChunk, callId: string, values: ShownValues): StreamChunk {
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
