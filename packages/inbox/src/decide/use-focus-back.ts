import { type RefObject, useLayoutEffect, useRef } from "react";

/** Moves the focus from a panel that has closed to the first control of the banner above it, unless it is elsewhere by now. */
export function useFocusBack(bar: RefObject<HTMLElement | null>, isOpen: boolean): void {
  const wasOpen = useRef(isOpen);
  useLayoutEffect(() => {
    if (wasOpen.current && !isOpen && document.activeElement === document.body) {
      bar.current?.querySelector<HTMLElement>(".cs-banner-actions :is(a, button)")?.focus();
    }
    wasOpen.current = isOpen;
  }, [bar, isOpen]);
}
