import type { Countersign } from "../instance/countersign.js";
import { nameOfThrown } from "../shared/name-of-thrown.js";
import type { ChatTurn } from "./chat-turn.js";
import { type FollowedChat, followChat } from "./follow-chat.js";
import type { ThreadFeed } from "./thread-feed.js";

/** Writes states of a turn in one protocol. */
export interface ChatProtocol {
  headers?: Record<string, string>;
  /** The frames for a state, and whether the stream ends with it. */
  write(turn: ChatTurn): { frames: string; ends: boolean };
  /** The frames that end a stream whose turn was followed by another. */
  writeEnd(): string;
  /** The frames of a stream that cannot go on. */
  writeFailure(message: string): string;
}

export type StreamedChat = Omit<FollowedChat, "signal"> & {
  countersign: Countersign;
  feed: ThreadFeed;
  protocol: ChatProtocol;
  /** Called once when the stream is over. */
  onEnd(): void;
};

/** A comment, which clients of server-sent events ignore. */
const heartbeat = ": still here\n\n";
/** Heartbeats for which a client may read nothing. */
const stalledBeats = 4;

/**
 * Streams a turn as server-sent events, until the protocol ends it. Reads the next state when the client has read what
 * came before, so a slow client holds one frame. One that stops reading is disconnected.
 */
export function streamChat({ countersign, feed, protocol, onEnd, ...chat }: StreamedChat): Response {
  const stop = new AbortController();
  const frames = framesOf();
  const encoder = new TextEncoder();
  let stalled: NodeJS.Timeout | undefined;
  const end = () => {
    clearTimeout(stalled);
    stop.abort();
    void frames.return(undefined);
    onEnd();
  };
  const mayStall = (controller: ReadableStreamDefaultController) => {
    stalled = setTimeout(() => {
      end();
      controller.error(clientStalled());
    }, stalledBeats * chat.heartbeatMs).unref();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: mayStall,
      async pull(controller) {
        clearTimeout(stalled);
        const { value, done } = await frames.next();
        if (stop.signal.aborted) return;
        if (done) {
          controller.close();
          end();
        } else {
          controller.enqueue(encoder.encode(value));
          mayStall(controller);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      // Proxies such as nginx would hold the frames back.
      "x-accel-buffering": "no",
      ...protocol.headers,
    },
  });

  async function* framesOf(): AsyncGenerator<string, undefined> {
    try {
      for await (const update of followChat(countersign, feed, { ...chat, signal: stop.signal })) {
        if (update.kind === "heartbeat") {
          yield heartbeat;
          continue;
        }
        if (update.kind === "followed") {
          yield protocol.writeEnd();
          return;
        }
        const { frames: written, ends } = protocol.write(update.turn);
        if (written !== "") yield written;
        if (ends) return;
      }
    } catch (error) {
      countersign.logger.error("A chat's stream ended early", {
        threadId: chat.threadId,
        error: nameOfThrown(error),
      });
      yield protocol.writeFailure("The connection to the conversation was lost. Reload to go on");
    }
  }
}

/** Node's code for a response that its client did not read to the end, so that servers do not report a failure. */
function clientStalled(): Error {
  const error = new Error("The client stopped reading its chat");
  return Object.assign(error, { code: "ERR_STREAM_PREMATURE_CLOSE" });
}

/** What the model's turn came to, for people. */
export const runFailed =
  "The agent's run failed. What has run stays in the conversation; send a new message to go on";
