import { useEffect, useRef } from "react";

/** Calls `onReached` once, when the element has been on the screen. Put the ref at the end of the content. */
export function useScrolledTo(onReached: () => void) {
  const element = useRef<HTMLElement>(null);
  const latest = useRef(onReached);
  useEffect(() => {
    latest.current = onReached;
  });
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      latest.current();
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return element;
}
