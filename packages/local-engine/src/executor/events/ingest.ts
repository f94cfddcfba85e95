import type { Core } from "../../core.js";
import { type IncomingEvent, toEngineEvent } from "../../protocol/event.js";
import { newUlid, seededEventId } from "../../protocol/identifiers.js";
import { addEvents } from "../../store/events.js";
import { processEvent } from "./process-event.js";

/**
 * Processes a batch of events in one write: stores them, and matches them with waits and functions. Returns the
 * engine's ids. If the SDK sends a batch again with the same seed, it has no further effect.
 */
export async function ingestEvents(
  core: Core,
  batch: IncomingEvent[],
  seed: string | null,
): Promise<string[]> {
  const now = core.now();
  const received = batch.map((incoming, index) => {
    const id = (seed ? seededEventId(seed, index) : undefined) ?? newUlid(now);
    return { id, event: toEngineEvent(incoming, id, now) };
  });
  await core.writer.write(async (write) => {
    const added = await addEvents(
      write,
      received.map(({ id, event }) => ({
        id,
        eventId: event.id,
        name: event.name,
        receivedAt: now,
      })),
    );
    for (const { id, event } of received) {
      if (added.has(id)) await processEvent(core.registry, write, event, id);
    }
  });
  return received.map(({ id }) => id);
}
