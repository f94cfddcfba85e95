import type { Logger } from "@countersign/policy/internal/shared/logger";
import { withinTime } from "@countersign/policy/internal/shared/within-time";
import type { Inngest } from "inngest";
import type { WakeUp } from "../store/ports/request-port.js";
import { events } from "./events.js";

/** Maximum milliseconds that a caller waits for the event to be accepted. The outbox guarantees delivery anyway. */
const sendTimeoutMs = 2000;

export function wakeUpEvent({ requestId, token }: WakeUp) {
  return { name: events.wakeUp, data: { requestId, token } };
}

/**
 * Sends wake-ups right after the transaction that queued them. Never fails: the decision stands, and the relay sends
 * what failed here.
 */
export async function sendWakeUps(
  inngest: Inngest.Any,
  wakeUps: readonly WakeUp[],
  logger: Logger,
): Promise<void> {
  if (wakeUps.length === 0) return;
  await sendWithTimeout(inngest.send(wakeUps.map(wakeUpEvent)), {
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
