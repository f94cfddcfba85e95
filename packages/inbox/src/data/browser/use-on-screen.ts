import { type RefObject, useEffect } from "react";

/** The share of an element that must be on the screen. Not 1, because sizes are rounded. */
const whole = 0.99;

/** A scrolled box with a head that stays at its top, over what is scrolled below it. */
export interface StickyHead {
  box: RefObject<HTMLElement | null>;
  head: RefObject<HTMLElement | null>;
}

/** Reports when all of an element comes to the screen, and when it leaves or goes below the head of its box. */
export function useOnScreen(
  element: RefObject<HTMLElement | null>,
  onChange: (is: boolean) => void,
  { box, head }: StickyHead,
): void {
  useEffect(() => {
    const { current } = element;
    if (!current || !box.current || !head.current) return undefined;
    const is = { onScreen: false, uncovered: false };
    const watch = (what: keyof typeof is, options: IntersectionObserverInit) => {
      const observer = new IntersectionObserver(
        (entries) => {
          is[what] = (entries.at(-1)?.intersectionRatio ?? 0) >= whole;
          onChange(is.onScreen && is.uncovered);
        },
        { ...options, threshold: [0, whole] },
      );
      observer.observe(current);
      return observer;
    };
    const onScreen = watch("onScreen", {});
    const root = box.current;
    let uncovered: IntersectionObserver | undefined;
    const sizes = new ResizeObserver(() => {
      uncovered?.disconnect();
      uncovered = watch("uncovered", { root, rootMargin: `-${head.current?.offsetHeight ?? 0}px 0px 0px` });
    });
    sizes.observe(head.current);
    return () => {
      sizes.disconnect();
      uncovered?.disconnect();
      onScreen.disconnect();
      onChange(false);
    };
  }, [element, onChange, box, head]);
}
