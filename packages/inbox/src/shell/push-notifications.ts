import { useEffect } from "react";
import { confirmOldPush, confirmPush } from "../data/browser/subscribe-to-push.js";
import { usePushOwner } from "../data/people/use-push-owner.js";

/** Confirms this browser's subscription to push messages, and opens the calls that are chosen in notifications. */
export default function PushNotifications() {
  const owner = usePushOwner();
  useEffect(() => {
    // Without the server, the next visit confirms it.
    if (!owner) return undefined;
    void confirmPush(owner).catch(() => undefined);
    const look = () => {
      if (document.visibilityState === "visible") void confirmOldPush(owner).catch(() => undefined);
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, [owner]);
  useEffect(() => {
    const worker = navigator.serviceWorker;
    worker?.addEventListener("message", openCall);
    return () => worker?.removeEventListener("message", openCall);
  }, []);
  return null;
}

function openCall({ data }: MessageEvent<unknown>): void {
  if (typeof data !== "object" || data === null || !("openCall" in data)) return;
  // The router follows the address.
  window.history.pushState(null, "", String(data.openCall));
}
