import { useSyncExternalStore } from "react";
import { whenIdle } from "./when-idle.js";

/** Once for the page: what comes later finds the costly things done. */
let over = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (listeners.size === 1 && !over) whenIdle(end);
  return () => listeners.delete(listener);
}

function end(): void {
  over = true;
  for (const each of [...listeners]) each();
}

/** Whether the browser has had a moment for itself since the first list was there: what no eye misses waits for it. */
export function useFirstPaintOver(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => over,
    () => over,
  );
}
