import type { Inngest } from "inngest";
import type { Store } from "../store/store.js";

interface Event {
  id?: string;
  name: string;
  data: Record<string, unknown>;
}

/**
 * Sends events with the database's time, or this process's if that is earlier. The engine starts functions at the time of
 * their event, so one fast clock must not delay them. The SDK would take this process's.
 */
export async function sendAtDatabaseTime(
  inngest: Inngest.Any,
  store: Pick<Store, "now">,
  events: readonly Event[],
): Promise<void> {
  const ts = Math.min((await store.now()).getTime(), Date.now());
  await inngest.send(events.map((event) => ({ ...event, ts })));
}
