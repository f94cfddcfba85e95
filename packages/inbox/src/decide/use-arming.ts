import { useEffect, useState } from "react";
import type { Review } from "../data/approvals/use-review.js";
import { useInbox } from "../data/inbox/inbox-context.js";
import { useValue } from "../data/inbox/value-store.js";

/** Delay before a confirmation can be pressed, in milliseconds. */
const delayMs = 1000;

/**
 * Whether the button of a confirmation still fills, and how long it takes in all: the delay, or until the call was seen. While a
 * dialog or menu covers it, it does not fill; afterwards it begins again.
 */
export function useArming(review: Review): { arming: boolean; armingMs: number | undefined } {
  const covered = useValue(useInbox().covers) > 0;
  const [armed, setArmed] = useState(false);
  const [armingMs] = useState(() => Math.max(delayMs, review.ready ? 0 : review.timeLeft()));
  useEffect(() => {
    if (covered) return undefined;
    const timer = setTimeout(() => setArmed(true), delayMs);
    return () => clearTimeout(timer);
  }, [covered]);
  return { arming: !armed || !review.ready, armingMs: covered ? undefined : armingMs };
}
