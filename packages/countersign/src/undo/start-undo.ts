import type { Inngest } from "inngest";
import { events } from "../orchestrator/events.js";
import { sendAtDatabaseTime } from "../orchestrator/send-at.js";
import { sendWithTimeout } from "../orchestrator/wake.js";
import type { Logger } from "../shared/logger.js";
import type { Store } from "../store/store.js";

/** Sends the event that runs an undo. Never fails: the relay sends those that got lost. */
export async function startUndo(
  { inngest, store, logger }: { inngest: Inngest.Any; store: Store; logger: Logger },
  requestId: string,
): Promise<void> {
  await sendWithTimeout(sendAtDatabaseTime(inngest, store, [startOf(requestId)]), {
    what: "the start of an undo; the relay will send it again",
    logger,
  });
}

/** Sends the starts of undos that have not started. Returns their number. */
export async function startOverdueUndos(inngest: Inngest.Any, store: Store): Promise<number> {
  const overdue = await store.overdueUndos();
  if (overdue.length > 0) await sendAtDatabaseTime(inngest, store, overdue.map(startOf));
  return overdue.length;
}

/** The engine starts no second run for an id that it has received. */
function startOf(requestId: string) {
  return { id: `${requestId}:undo`, name: events.undoRequested, data: { requestId } };
}
