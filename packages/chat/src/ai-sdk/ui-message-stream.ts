import type { ChatTurn } from "../turn/chat-turn.js";
import { type ChatProtocol, runFailed } from "../turn/stream-chat.js";
import { type Chunk, frame, lastFrame } from "./chunks.js";
import { createTurnEncoder, type EncoderOptions } from "./encode-turn.js";

export interface UiMessageStreamOptions extends EncoderOptions {
  /** The message that the client continues; `null` begins the turn's own. */
  messageId: string | null;
}

/**
 * The AI SDK's UI message stream. It ends when it waits for the reader, because a client does not send while it
 * receives.
 */
export function uiMessageStream({ messageId, ...options }: UiMessageStreamOptions): ChatProtocol {
  const encoder = createTurnEncoder(options);
  let started = false;
  const start = (turn: ChatTurn): Chunk => ({ type: "start", messageId: messageId ?? turn.id });
  return {
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    write(turn) {
      const chunks: Chunk[] = started ? [] : [start(turn)];
      started = true;
      chunks.push(...encoder.encode(turn));
      const end = endOf(turn);
      if (end) chunks.push(...end);
      return { frames: chunks.map(frame).join("") + (end ? lastFrame : ""), ends: end !== undefined };
    },
    writeEnd: () =>
      [...encoder.close(), { type: "finish", finishReason: "stop" } as const].map(frame).join("") + lastFrame,
    writeFailure: (message) => frame({ type: "error", errorText: message }) + lastFrame,
  };

  function endOf(turn: ChatTurn): Chunk[] | undefined {
    if (encoder.waitsForReader(turn))
      return [...encoder.close(), { type: "finish", finishReason: "tool-calls" }];
    if (turn.status === "done") {
      // The client notices the last step only with the next chunk that changes the message, so `start` is sent again.
      return [...encoder.closeTurn(), start(turn), { type: "finish", finishReason: "stop" }];
    }
    if (turn.status !== "failed") return undefined;
    // After an error the client sends nothing by itself.
    return [
      ...encoder.close(),
      { type: "error", errorText: runFailed },
      { type: "finish", finishReason: "error" },
    ];
  }
}
