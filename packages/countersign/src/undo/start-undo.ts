import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Inngest } from "inngest";
import { events, type InstanceName } from "../orchestrator/events.js";
import { sendAtDatabaseTime } from "../orchestrator/send-at.js";
import { sendWithTimeout } from "../orchestrator/wake.js";
import type { Store } from "../store/store.js";

/** Sends the event that runs an undo of this instance. Never fails: the relay sends those that got lost. */
export async function startUndo(
  { inngest, store, logger }: { inngest: Inngest.Any; store: Store; logger: Logger },
  instance: InstanceName,
  requestId: string,
): Promise<void> {
  await sendWithTimeout(sendAtDatabaseTime(inngest, store, [startOf(instance, requestId)]), {
    what: "the start of an undo; the relay will send it again",
    logger,
  });
}

/** Sends the starts of an instance's undos that have not started. Returns their number. */
export async function startOverdueUndos(
  inngest: Inngest.Any,
  store: Store,
  instance: InstanceName,
): Promise<number> {
  const overdue = await store.overdueUndos(instance);
  const starts = overdue.map((requestId) => startOf(instance, requestId));
  if (starts.length > 0) await sendAtDatabaseTime(inngest, store, starts);
  return overdue.length;
}

/** The engine starts no second run for an id that it has received. */
function startOf({ appId, instanceId }: InstanceName, requestId: string) {
  const data = { requestId, appId, instanceId };
  return { id: `${requestId}:undo`, name: events.undoRequested, data };
}
