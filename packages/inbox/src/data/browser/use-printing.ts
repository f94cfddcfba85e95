import { useSyncExternalStore } from "react";
import { flushSync } from "react-dom";

let printing = false;
const listeners = new Set<() => void>();

/** Before the browser takes the page for the printer, all that depends on it must be rendered. */
function tell(now: boolean): void {
  printing = now;
  flushSync(() => {
    for (const listener of listeners) listener();
  });
}

const begin = () => tell(true);
const end = () => tell(false);

/** Whether the page is being printed now. */
export const isPrinting = () => printing;

/** Calls the listener as printing begins and ends, until the returned function is called. */
export function watchPrinting(listener: () => void): () => void {
  if (listeners.size === 0) {
    window.addEventListener("beforeprint", begin);
    window.addEventListener("afterprint", end);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.removeEventListener("beforeprint", begin);
    window.removeEventListener("afterprint", end);
  };
}

/** Whether the page is being printed: paper cannot be unfolded. */
export function usePrinting(): boolean {
  return useSyncExternalStore(watchPrinting, isPrinting);
}
