import { type ChatProtocol, runFailed } from "../stream-chat.js";
import { type Chunk, frame, lastFrame } from "./chunks.js";
import { createTurnEncoder, type EncoderOptions } from "./encode-turn.js";

export interface UiMessageStreamOptions extends EncoderOptions {
  /** The message that the client continues; `null` begins the turn's own. */
  messageId: string | null;
}

/** The AI SDK's UI message stream. It ends when it waits for the reader: a chat does not send while it receives. */
export function uiMessageStream({ messageId, ...options }: UiMessageStreamOptions): ChatProtocol {
  const encoder = createTurnEncoder(options);
  let started = false;
  return {
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    write(turn) {
      const chunks: Chunk[] = started ? [] : [{ type: "start", messageId: messageId ?? turn.id }];
      started = true;
      chunks.push(...encoder.encode(turn));
      const end: Chunk[] | undefined = encoder.waitsForReader(turn)
        ? [{ type: "finish", finishReason: "tool-calls" }]
        : turn.status === "done"
          ? [{ type: "finish", finishReason: "stop" }]
          : turn.status === "failed"
            ? [
                { type: "error", errorText: runFailed },
                { type: "finish", finishReason: "error" },
              ]
            : undefined;
      if (end) chunks.push(...encoder.close(), ...end);
      return { frames: chunks.map(frame).join("") + (end ? lastFrame : ""), ends: end !== undefined };
    },
    writeEnd: () =>
      [...encoder.close(), { type: "finish", finishReason: "stop" } as const].map(frame).join("") + lastFrame,
    writeFailure: (message) => frame({ type: "error", errorText: message }) + lastFrame,
  };
}
