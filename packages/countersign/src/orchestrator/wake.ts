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
  await patiently(inngest.send(wakeUps.map(wakeUpEvent)), "a wake-up; the relay will send it again");
}

/** Waits for events to be taken, but not for long; never fails, and tells in the log what could not be sent. */
export async function patiently(sending: Promise<unknown>, what: string): Promise<void> {
  const sent = sending.catch((error: unknown) => {
    console.warn(`Countersign could not send ${what}:`, String(error));
  });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  await Promise.race([sent, patience]);
  clearTimeout(timer);
}
