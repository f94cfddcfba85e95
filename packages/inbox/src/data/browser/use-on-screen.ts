import { type RefObject, useEffect } from "react";

/** The share of an element that must be on the screen. Not 1, because sizes are rounded. */
const whole = 0.99;

/** Reports when all of an element comes to the screen, and when it leaves. */
export function useOnScreen(element: RefObject<HTMLElement | null>, onChange: (is: boolean) => void): void {
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => onChange((entries.at(-1)?.intersectionRatio ?? 0) >= whole),
      { threshold: [0, whole] },
    );
    observer.observe(current);
    return () => {
      observer.disconnect();
      onChange(false);
    };
  }, [element, onChange]);
}
