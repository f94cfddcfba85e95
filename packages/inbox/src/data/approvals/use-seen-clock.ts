import { type RefObject, useCallback, useEffect, useRef } from "react";
import { createSeenClock, type SeenClock } from "../../logic/review/seen-clock.js";
import { isPrinting, watchPrinting } from "../browser/use-printing.js";
import type { ValueStore } from "../inbox/value-store.js";

/**
 * Counts while the element is on the screen of a visible page that is not being printed, and calls `onSeen` after `ms`; counts
 * nothing if `ms` is `undefined`, or while there are `covers` over it. Returns a function that says how many milliseconds are
 * left, if it counts.
 */
export function useSeenClock(
  element: RefObject<HTMLElement | null>,
  ms: number | undefined,
  onSeen: () => void,
  covers?: ValueStore<number>,
): () => number | undefined {
  const counting = useRef<SeenClock>(undefined);
  useEffect(() => {
    const { current } = element;
    if (!current || ms === undefined) return undefined;
    const clock = createSeenClock(ms, () => performance.now());
    counting.current = clock;
    let onScreen = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const running = onScreen && document.visibilityState === "visible" && !isPrinting() && !covers?.get();
      clock.run(running);
      clearTimeout(timer);
      if (clock.left() === 0) onSeen();
      else if (running) timer = setTimeout(look, clock.left());
    };
    const observer = new IntersectionObserver((entries) => {
      onScreen = entries.at(-1)?.isIntersecting ?? false;
      look();
    });
    observer.observe(current);
    document.addEventListener("visibilitychange", look);
    const stopWatching = watchPrinting(look);
    const unsubscribe = covers?.subscribe(look);
    return () => {
      counting.current = undefined;
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("visibilitychange", look);
      stopWatching();
      unsubscribe?.();
    };
  }, [element, ms, onSeen, covers]);
  return useCallback(() => counting.current?.left(), []);
}
