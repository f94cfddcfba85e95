import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Inngest } from "inngest";
import { events } from "../orchestrator/events.js";
import { sendAtDatabaseTime } from "../orchestrator/send-at.js";
import { sendWithTimeout } from "../orchestrator/wake.js";
import type { Store } from "../store/store.js";
import type { ConfiguredChannels } from "./configured-channels.js";

/** Maximum number of events in one call to the engine. */
const batch = 200;
/** Maximum deliveries that one pass of the relay sends again. */
const maxResent = 1_000;

function dueEvent(deliveryId: string) {
  return { name: events.deliveryDue, data: { deliveryId } };
}

export function sendDue(inngest: Inngest.Any, store: Store, deliveryIds: readonly string[]): Promise<void> {
  return sendAtDatabaseTime(inngest, store, deliveryIds.map(dueEvent));
}

/**
 * Sends the events of deliveries after the commits that made them due. Transitions do not wait for it, so a slow engine
 * does not delay them. The relay sends what it cannot send.
 *
 * @param sending Holds what is under way.
 */
export function sendWhenDue(
  inngest: Inngest.Any,
  store: Store,
  logger: Logger,
  sending: Set<Promise<unknown>>,
): void {
  store.onDue((ids) => {
    crashPoint("before-due-event");
    for (let from = 0; from < ids.length; from += batch) {
      const what = "deliveries; the relay will send them again";
      const due = sendDue(inngest, store, ids.slice(from, from + batch));
      const sent = sendWithTimeout(due, { what, logger }).finally(() => sending.delete(sent));
      sending.add(sent);
    }
  });
}

/**
 * Sends the events of overdue deliveries again, and fails those whose channel no process has any more. For the relay.
 */
export async function resendOverdue(
  inngest: Inngest.Any,
  store: Store,
  channels: ConfiguredChannels,
): Promise<number> {
  const names = [...channels.keys()];
  await store.failUnclaimed(names);
  const overdue = names.length === 0 ? [] : await store.overdueDeliveries(names, maxResent);
  for (let from = 0; from < overdue.length; from += batch) {
    const events = overdue
      .slice(from, from + batch)
      // The engine starts no second run for an id that it has already received.
      .map(({ id, resendId }) => ({ ...dueEvent(id), id: resendId }));
    await sendAtDatabaseTime(inngest, store, events);
  }
  return overdue.length;
}
