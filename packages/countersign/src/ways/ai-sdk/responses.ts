import * as z from "zod";
import { currentExecution } from "../../call/run/inngest-context.js";

/** A call of a model's response. */
export interface ModelCall {
  id: string;
  name: string;
  /** JSON text. */
  input: string;
}

/** A response of a durable model. */
export interface ModelResponse {
  text: string;
  calls: readonly ModelCall[];
}

const parts = z.array(
  z.union([
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("text-delta"), delta: z.string() }),
    z.object({
      type: z.literal("tool-call"),
      toolCallId: z.string(),
      toolName: z.string(),
      input: z.string(),
      providerExecuted: z.boolean().optional(),
    }),
    z.object({ type: z.string() }),
  ]),
);

/** The responses of each execution, newest last. */
const responses = new WeakMap<object, ModelResponse[]>();

/** Remembers for this execution which calls came together. A replay remembers the same. */
export function noteResponse(content: unknown): void {
  const execution = currentExecution()?.instance;
  const read = parts.safeParse(content);
  if (!execution || !read.success) return;
  const calls: ModelCall[] = [];
  let text = "";
  for (const part of read.data) {
    if ("text" in part) text += part.text;
    if ("delta" in part && part.type === "text-delta") text += part.delta;
    if ("toolCallId" in part && !part.providerExecuted) {
      calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
    }
  }
  const known = responses.get(execution) ?? [];
  responses.set(execution, [...known, { text, calls }]);
}

/** The newest response of this execution with a call of this id. */
export function responseWith(callId: string): ModelResponse | undefined {
  const execution = currentExecution()?.instance;
  const known = execution ? (responses.get(execution) ?? []) : [];
  return known.findLast(({ calls }) => calls.some(({ id }) => id === callId));
}
