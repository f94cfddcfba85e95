import type { Inngest } from "inngest";
import type { Store } from "../store/store.js";

interface Event {
  id?: string;
  name: string;
  data: Record<string, unknown>;
}

/**
 * Sends events with the database's time. The engine starts functions at the time of their event, and the SDK would take
 * that of this process, whose clock may be fast.
 */
export async function sendAtDatabaseTime(
  inngest: Inngest.Any,
  store: Pick<Store, "now">,
  events: readonly Event[],
): Promise<void> {
  const ts = (await store.now()).getTime();
  await inngest.send(events.map((event) => ({ ...event, ts })));
}
