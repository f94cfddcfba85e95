import { useSyncExternalStore } from "react";
import { useInbox } from "./inbox-context.js";

/** One tick for every countdown of the page. */
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

/** The server's time in milliseconds since 1970, to the second, anew every second. */
export function useNow(): number {
  const { clock } = useInbox();
  const second = () => Math.floor(clock.now() / 1000) * 1000;
  return useSyncExternalStore(subscribe, second, second);
}
