import { useEffect } from "react";
import { confirmOldPush, confirmPush } from "../data/browser/subscribe-to-push.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { usePushOwner } from "../data/people/use-push-owner.js";

/** Confirms this browser's subscription to push messages, and opens the calls that are chosen in notifications. */
export default function PushNotifications() {
  const owner = usePushOwner();
  const { basePath } = useInbox().config;
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
    const open = ({ data }: MessageEvent<unknown>) => openCall(data, basePath);
    worker?.addEventListener("message", open);
    return () => worker?.removeEventListener("message", open);
  }, [basePath]);
  return null;
}

function openCall(data: unknown, basePath: string): void {
  if (typeof data !== "object" || data === null || !("openCall" in data)) return;
  const { origin, pathname, href } = new URL(String(data.openCall), window.location.href);
  // Other workers of this origin must not lead the reader elsewhere.
  if (origin !== window.location.origin || !pathname.startsWith(`${basePath}/approvals/`)) return;
  // The router follows the address.
  window.history.pushState(null, "", href);
}
