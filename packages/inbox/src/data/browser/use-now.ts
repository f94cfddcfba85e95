import { useSyncExternalStore } from "react";
import { useInbox } from "../inbox/inbox-context.js";

/** One timer for all countdowns. */
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of [...listeners]) each();
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Whether a time is over by the server's clock. Never, if there is none. */
export function useIsOver(iso: string | null): boolean {
  const { clock } = useInbox();
  const isOver = () => iso !== null && clock.now() >= Date.parse(iso);
  return useSyncExternalStore(subscribe, isOver, isOver);
}

/** The server's time in milliseconds since 1970, rounded down to the second, updated every second. */
export function useNow(): number {
  const { clock } = useInbox();
  const second = () => Math.floor(clock.now() / 1000) * 1000;
  return useSyncExternalStore(subscribe, second, second);
}

/** When the day began where the reader is, in milliseconds since 1970. Changes at midnight. */
export function useToday(): number {
  const { clock } = useInbox();
  const midnight = () => new Date(clock.now()).setHours(0, 0, 0, 0);
  return useSyncExternalStore(subscribe, midnight, midnight);
}
