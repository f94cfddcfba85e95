import { useState } from "react";
import { usePreferences } from "../data/people/use-preferences.js";
import { words } from "../words/words.js";

/** Whether this device shows notifications. Turning it on asks for the browser's permission. */
export function useNotificationSwitch() {
  const [{ notifications }, change] = usePreferences();
  const [permission, setPermission] = useState(() =>
    "Notification" in window ? Notification.permission : "unsupported",
  );
  const impossible =
    permission === "unsupported"
      ? words.page.notifications.unsupported
      : permission === "denied"
        ? words.page.notifications.blocked
        : undefined;
  const toggle = async (on: boolean) => {
    if (!on) return change({ notifications: false });
    const given = await Notification.requestPermission();
    setPermission(given);
    change({ notifications: given === "granted" });
  };
  return {
    on: notifications && permission === "granted",
    impossible,
    toggle: (on: boolean) => void toggle(on),
  };
}
