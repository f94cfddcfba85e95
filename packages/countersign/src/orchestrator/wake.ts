import type { Inngest } from "inngest";
import type { WakeUp } from "../store/store.js";
import { events } from "./events.js";

/** Longest that a caller is kept waiting for the event to be taken; the outbox makes sure of it anyway. */
const patienceMs = 2000;

export function wakeUpEvent({ requestId, token }: WakeUp) {
  return { name: events.wakeUp, data: { requestId, token } };
}

/**
 * Sends wake-ups at once, after the transaction that made them due. Never fails: the decision stands, and the
 * relay sends what could not be sent here.
 */
export async function sendWakeUps(inngest: Inngest.Any, wakeUps: readonly WakeUp[]): Promise<void> {
  if (wakeUps.length === 0) return;
  const sent = inngest.send(wakeUps.map(wakeUpEvent)).catch((error: unknown) => {
    console.warn("Countersign could not send a wake-up; the relay will send it again:", String(error));
  });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([sent, patience]);
  clearTimeout(timer);
}
