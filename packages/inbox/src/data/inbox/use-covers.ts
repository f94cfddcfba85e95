import { useLayoutEffect } from "react";
import { useInbox } from "./inbox-context.js";

/** Counts as something that covers the page, such as a dialog, while the component is mounted. */
export function useCovers(): void {
  const { covers } = useInbox();
  useLayoutEffect(() => {
    covers.set((count) => count + 1);
    return () => covers.set((count) => count - 1);
  }, [covers]);
}
