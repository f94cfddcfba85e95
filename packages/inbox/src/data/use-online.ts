import { useSyncExternalStore } from "react";
import { useInbox } from "./inbox-context.js";
import { useValue } from "./value-store.js";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** False while the server cannot be reached, as far as the browser and the last requests tell. */
export function useOnline(): boolean {
  const { link } = useInbox();
  const reached = useValue(link) !== "offline";
  return useSyncExternalStore(subscribe, () => navigator.onLine) && reached;
}
