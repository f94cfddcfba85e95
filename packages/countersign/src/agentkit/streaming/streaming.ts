import type { Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { RunStream } from "../../call/stream.js";
import { openRunStream } from "./run-stream.js";
import type { Publish, StreamChunk } from "./stream-events.js";

/** AgentKit's option `streaming`. */
export interface Streaming {
  publish(this: void, chunk: StreamChunk): Promise<void>;
}

/** The functions that {@link createStreaming} has made, found again in the options of a run. */
const known = new WeakMap<object, { publish: Publish; logger: Logger }>();

export function createStreaming(publish: Publish, logger: Logger): Streaming {
  // Outside of a guarded run it publishes what AgentKit sends.
  const own = async (chunk: StreamChunk) => void (await publish(chunk));
  known.set(own, { publish, logger });
  return { publish: own };
}

/** The stream of a run that begins with these options, and what AgentKit gets in their place. */
export function streamedRun(
  streaming: { publish?: unknown } | undefined,
): { stream: RunStream; options: { streaming: object } } | undefined {
  const found = typeof streaming?.publish === "function" && known.get(streaming.publish);
  if (!found) return undefined;
  const { stream, publish } = openRunStream(found.publish, (error) =>
    found.logger.warn("A waiting call could not be streamed. It waits in the inbox", {
      error: nameOfThrown(error),
    }),
  );
  return { stream, options: { streaming: { ...streaming, publish } } };
}
