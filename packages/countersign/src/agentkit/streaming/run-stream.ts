import { type Hiding, redact } from "@countersign/policy/internal/redaction/redact";
import { visibleOutcome } from "../../approval/visible-arguments.js";
import type { RunStream } from "../../call/stream.js";
import { createPartNames, type ShownValues } from "./part-names.js";
import type { StreamChunk } from "./stream-events.js";
import {
  answerChunk,
  callChunks,
  type Publish,
  requestedChunk,
  resolvedChunk,
  runningChunk,
  type StreamPlace,
} from "./stream-events.js";

const nothingHidden: Hiding = { redact: [], redactPatterns: [] };

/**
 * Wraps the host's `publish` for one run. `publish` takes AgentKit's chunks.
 *
 * AgentKit streams a call when it runs, under an id of its own. This stream uses the model's id instead: then the part
 * that was shown before the wait continues, and `POST /approve-tool` finds the call.
 */
export function openRunStream(
  send: Publish,
  onFailure: (error: unknown) => void,
): { stream: RunStream; publish: (chunk: StreamChunk) => Promise<void> } {
  let place: StreamPlace | undefined;
  const names = createPartNames();
  /** What rules hide in announced calls, by call id. */
  const hidings = new Map<string, { hiding: Hiding; inputs: unknown[] }>();

  const publishOwn = async (chunks: readonly StreamChunk[]) => {
    try {
      for (const chunk of chunks) await send(chunk);
    } catch (error) {
      // The approval waits whether it is streamed or not.
      onFailure(error);
    }
  };

  const streamOf = (isInside: boolean): RunStream => ({
    async announce(requestId, calls) {
      if (!place) return;
      for (const { toolCallId, input, card } of calls) {
        const { redact, redactPatterns } = card;
        hidings.set(toolCallId, { hiding: { redact, redactPatterns }, inputs: [input] });
        names.shown(toolCallId);
      }
      const at = place;
      await publishOwn([
        ...calls.flatMap(({ approvalId, toolCallId, toolName, input, card }) =>
          callChunks(approvalId, at, { id: toolCallId, toolName, input: redact(input, card) }),
        ),
        requestedChunk(requestId, at, calls),
      ]);
    },
    async resolve(resolution) {
      if (place) await publishOwn([resolvedChunk(place, resolution)]);
    },
    async settle(requestId, calls) {
      if (!place) return;
      const at = place;
      const chunks: StreamChunk[] = [];
      for (const { id, toolName, input, answer } of calls) {
        const known = hidings.get(id);
        known?.inputs.push(input);
        const name = `${requestId}:${id}`;
        if (answer) {
          if (!names.isShown(id)) chunks.push(...callChunks(name, at, { id, toolName, input }));
          chunks.push(answerChunk(name, at, { id, toolName, content: values.output(id, answer.content) }));
        } else if (isInside && names.isShown(id)) chunks.push(runningChunk(name, at, id));
      }
      if (!isInside) names.expect(calls.filter(({ answer }) => !answer));
      await publishOwn(chunks);
    },
    inside: () => streamOf(true),
  });

  const values: ShownValues = {
    input: (id, input) => redact(input, hidings.get(id)?.hiding ?? nothingHidden),
    output: (id, output) => {
      const known = hidings.get(id);
      return known ? visibleOutcome(output, known.inputs, known.hiding) : output;
    },
  };

  return {
    stream: streamOf(false),
    async publish(chunk) {
      const { event, data } = chunk;
      if (event === "run.started" && data.scope === "agent") {
        const { messageId, runId, threadId, userId } = data;
        place = { messageId: String(messageId), runId: String(runId), threadId, userId };
      }
      await send(names.rename(chunk, values));
    },
  };
}
