import { useState } from "react";
import { usePreferences } from "../data/use-preferences.js";

/** Whether this device tells of what is new; asks the browser's permission when it is switched on. */
export function useNotificationSwitch() {
  const [{ notifications }, change] = usePreferences();
  const [permission, setPermission] = useState(() =>
    "Notification" in window ? Notification.permission : "unsupported",
  );
  const impossible =
    permission === "unsupported"
      ? "This browser has none"
      : permission === "denied"
        ? "Your browser's settings forbid it"
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
