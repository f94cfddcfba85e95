import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Moves the focus to the element if `state` has changed and the control with the focus inside of it is gone. */
export function useKeptFocus(element: RefObject<HTMLElement | null>, state: string): void {
  const hadFocus = useRef(false);
  useEffect(() => {
    const { current } = element;
    const note = () => {
      hadFocus.current = true;
    };
    // A control that is removed fires no `focusout`, so only moves of the focus to other places count.
    const forget = (event: FocusEvent) => {
      if (event.relatedTarget instanceof Node && !current?.contains(event.relatedTarget))
        hadFocus.current = false;
    };
    const leave = (event: PointerEvent) => {
      if (event.target instanceof Node && !current?.contains(event.target)) hadFocus.current = false;
    };
    current?.addEventListener("focusin", note);
    current?.addEventListener("focusout", forget);
    document.addEventListener("pointerdown", leave);
    return () => {
      current?.removeEventListener("focusin", note);
      current?.removeEventListener("focusout", forget);
      document.removeEventListener("pointerdown", leave);
    };
  }, [element]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the state has changed
  useLayoutEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) element.current?.focus();
  }, [element, state]);
}
