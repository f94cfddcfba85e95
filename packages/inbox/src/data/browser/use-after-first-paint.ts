import { useSyncExternalStore } from "react";
import { whenIdle } from "./when-idle.js";

/** Shared by the whole page. */
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

/** Whether the browser was idle after the first list was painted. Defers expensive work that is not visible. */
export function useAfterFirstPaint(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => over,
    () => over,
  );
}
