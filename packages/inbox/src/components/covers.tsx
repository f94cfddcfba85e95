import { useLayoutEffect } from "react";
import { useInbox } from "../data/inbox/inbox-context.js";

/**
 * Part of each popup of a dialog or menu: while the popup is open, no key acts on the page behind it, and the time for which the
 * call was on the screen stands still.
 */
export function Covers(): null {
  const { covers } = useInbox();
  useLayoutEffect(() => {
    covers.set((count) => count + 1);
    return () => covers.set((count) => count - 1);
  }, [covers]);
  return null;
}
