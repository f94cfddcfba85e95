import { useSyncExternalStore } from "react";
import { useInbox } from "../inbox/inbox-context.js";
import { useValue } from "../inbox/value-store.js";

function subscribe(listener: () => void): () => void {
  window.addEventListener("online", listener);
  window.addEventListener("offline", listener);
  return () => {
    window.removeEventListener("online", listener);
    window.removeEventListener("offline", listener);
  };
}

/** False while the browser is offline or the last requests got no response. */
export function useOnline(): boolean {
  const { link } = useInbox();
  const reached = useValue(link) !== "offline";
  return useSyncExternalStore(subscribe, () => navigator.onLine) && reached;
}
