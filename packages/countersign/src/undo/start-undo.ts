import type { Inngest } from "inngest";
import { events } from "../orchestrator/events.js";
import { sendAtDatabaseTime } from "../orchestrator/send-at.js";
import { sendWithTimeout } from "../orchestrator/wake.js";
import type { Logger } from "../shared/logger.js";
import type { Store } from "../store/store.js";

interface Starting {
  inngest: Inngest.Any;
  store: Store;
}

/** Sends the event that runs the undos of a batch. Never fails: the relay sends those that got lost. */
export async function startUndos(
  { logger, ...starting }: Starting & { logger: Logger },
  batch: string,
): Promise<void> {
  await sendWithTimeout(sendStarts(starting, batch), {
    what: "the start of an undo; the relay will send it again",
    logger,
  });
}

/** Sends the starts of undos that have not started. Returns their number. */
export function startOverdueUndos(starting: Starting): Promise<number> {
  return sendStarts(starting, null);
}

async function sendStarts({ inngest, store }: Starting, batch: string | null): Promise<number> {
  const batches = await store.undosToStart(batch);
  // The engine starts no second run for an id that it has received.
  const starts = batches.map(({ batch: name, requestIds }) => ({
    ...{ id: `${name}:undo`, name: events.undoRequested, data: { requestIds } },
  }));
  if (starts.length > 0) await sendAtDatabaseTime(inngest, store, starts);
  return starts.length;
}
