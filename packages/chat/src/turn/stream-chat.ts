import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Countersign } from "countersign";
import type { ChatTurn } from "./chat-turn.js";
import { type FollowedChat, followChat, type ThreadFeed } from "./follow-chat.js";

/** Writes states of a turn in one protocol. */
export interface ChatProtocol {
  headers?: Record<string, string>;
  /** The frames for a state, and whether the stream ends after them. */
  write(turn: ChatTurn): { frames: string; ends: boolean };
  /** The frames that end a stream because another turn has begun. */
  writeEnd(): string;
  /** The frames that end a stream after a failure. */
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
/** Number of heartbeats within which a client must read something. */
const stalledBeats = 4;

/**
 * Streams a turn as server-sent events until the protocol ends the stream. It reads the next state only after the
 * client has read the previous one, so a slow client holds one frame. A client that stops reading is disconnected.
 */
export function streamChat({ countersign, feed, protocol, onEnd, ...chat }: StreamedChat): Response {
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, countersign.closing]);
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
      // Without this header, proxies such as nginx would buffer the frames.
      "x-accel-buffering": "no",
      ...protocol.headers,
    },
  });

  async function* framesOf(): AsyncGenerator<string, undefined> {
    try {
      for await (const update of followChat(countersign, feed, { ...chat, signal: ended })) {
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
      yield protocol.writeFailure("The connection to the conversation was lost. Reload the page to continue");
    }
  }
}

/**
 * The error has the code that Node uses for a response that its client did not read completely, so servers do not
 * report it as a failure.
 */
function clientStalled(): Error {
  const error = new Error("The client stopped reading its chat");
  return Object.assign(error, { code: "ERR_STREAM_PREMATURE_CLOSE" });
}

/** The text for people if the run fails. */
export const runFailed =
  "The agent's run failed. What has run stays in the conversation. Send a new message to continue";
