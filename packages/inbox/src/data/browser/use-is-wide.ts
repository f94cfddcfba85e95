import { useSyncExternalStore } from "react";

/** The window in which list and call stand side by side, as in the style sheet. */
const wide = "(min-width: 800px)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(wide);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Whether list and call stand side by side. */
export function useIsWide(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(wide).matches);
}
