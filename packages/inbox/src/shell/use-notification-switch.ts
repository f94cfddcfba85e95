import { useEffect, useState } from "react";
import { pushSubscription } from "../data/browser/push-subscription.js";
import { subscribeToPush, unsubscribeFromPush } from "../data/browser/subscribe-to-push.js";
import { usePreferences } from "../data/people/use-preferences.js";
import { usePushOwner } from "../data/people/use-push-owner.js";
import { words } from "../words/words.js";

/** Whether this device shows notifications. Turning it on asks for the browser's permission. */
export function useNotificationSwitch() {
  const [{ notifications }, change] = usePreferences();
  const [permission, setPermission] = useState(() =>
    "Notification" in window ? Notification.permission : "unsupported",
  );
  const owner = usePushOwner();
  const [subscribed, setSubscribed] = useState(false);
  useEffect(() => {
    if (!owner) return;
    pushSubscription(owner.basePath).then(
      (found) => setSubscribed(found !== null),
      () => undefined,
    );
  }, [owner]);
  const impossible =
    permission === "unsupported"
      ? words.page.notifications.unsupported
      : permission === "denied"
        ? words.page.notifications.blocked
        : undefined;
  const toggle = async (on: boolean) => {
    if (!on) {
      change({ notifications: false });
      setSubscribed(false);
      if (owner) await unsubscribeFromPush(owner);
      return;
    }
    const given = await Notification.requestPermission();
    setPermission(given);
    change({ notifications: given === "granted" });
    // Where this fails, the inbox still notifies while it is open.
    if (given === "granted" && owner) setSubscribed(await subscribeToPush(owner));
  };
  return {
    on: permission === "granted" && (notifications || subscribed),
    impossible,
    toggle: (on: boolean) => void toggle(on).catch(() => undefined),
  };
}
