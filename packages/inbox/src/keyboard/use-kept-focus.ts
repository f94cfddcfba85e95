import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/** Moves the focus to the element after `state` has changed, if the focused control inside it was removed. */
export function useKeptFocus(element: RefObject<HTMLElement | null>, state: string): void {
  const hadFocus = useRef(false);
  useEffect(() => {
    const { current } = element;
    const note = () => {
      hadFocus.current = true;
    };
    // A removed control fires no `focusout`, so a `focusout` means that the focus has moved to another place.
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
