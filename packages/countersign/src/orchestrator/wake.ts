import type { Logger } from "@countersign/policy/internal/shared/logger";
import { withinTime } from "@countersign/policy/internal/shared/within-time";
import type { Inngest } from "inngest";
import type { WakeUp } from "../store/ports/request-port.js";
import type { Store } from "../store/store.js";
import { events } from "./events.js";
import { wakeUpToken } from "./wake-up-token.js";

/** Maximum milliseconds that a caller waits for the event to be accepted. The outbox guarantees delivery anyway. */
const sendTimeoutMs = 2000;

/** What sends wake-ups. */
export interface Waking {
  inngest: Inngest.Any;
  store: Pick<Store, "nameSecret">;
}

/** Wakes the runs that wait for these requests. */
export async function wakeUp({ inngest, store }: Waking, requests: readonly WakeUp[]): Promise<void> {
  const sent = requests.map(async ({ requestId }) => ({
    name: events.wakeUp,
    data: { requestId, token: await wakeUpToken(store, requestId) },
  }));
  await inngest.send(await Promise.all(sent));
}

/**
 * Sends wake-ups right after the transaction that queued them. Never fails: the decision stands, and the relay sends
 * what failed here.
 */
export async function sendWakeUps(waking: Waking, wakeUps: readonly WakeUp[], logger: Logger): Promise<void> {
  if (wakeUps.length === 0) return;
  await sendWithTimeout(wakeUp(waking, wakeUps), {
    what: "a wake-up; the relay will send it again",
    logger,
  });
}

/** Waits briefly for events to be accepted. Never fails; logs what could not be sent. */
export async function sendWithTimeout(
  sending: Promise<unknown>,
  { what, logger }: { what: string; logger: Logger },
): Promise<void> {
  const sent = sending.catch((error: unknown) => {
    logger.warn(`Could not send ${what}`, { error: String(error) });
  });
  // What is not accepted by then is sent anyway, or again later.
  await withinTime(sendTimeoutMs, () => sent).catch(() => {});
}
