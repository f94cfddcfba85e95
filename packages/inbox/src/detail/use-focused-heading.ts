import { type RefObject, useEffect, useRef } from "react";
import { takeFocus } from "../keyboard/take-focus.js";

/** Where the focus is while the reader goes from call to call. Dialogs and the page of a host are outside of it. */
const pages = ".cs-app, .cs-detail-pane, .cs-toasts";
/** Parts of the page that lie above it. */
const popups = ".cs-menu, .cs-popover";

/**
 * Focuses the heading of a call that has opened, so that keys and screen readers continue there. A call may take long to load: if
 * the focus is in a dialog by then, it stays there.
 *
 * @param autoFocus Whether it does.
 */
export function useFocusedHeading(autoFocus: boolean): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!autoFocus) return;
    const { activeElement: at, body } = document;
    if (at === null || at === body || (at.closest(pages) && !at.closest(popups))) takeFocus(heading.current);
  }, [autoFocus]);
  return heading;
}
