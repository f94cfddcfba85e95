import { useEffect, useState } from "react";
import type { Review } from "../data/approvals/use-review.js";

/** Delay before a confirmation can be pressed, in milliseconds. */
const delayMs = 1000;

/** Whether the button of a confirmation still fills, and how long it takes in all: the delay, or until the call was seen. */
export function useArming(review: Review): { arming: boolean; armingMs: number } {
  const [armed, setArmed] = useState(false);
  const [armingMs] = useState(() => Math.max(delayMs, review.ready ? 0 : review.timeLeft()));
  useEffect(() => {
    const timer = setTimeout(() => setArmed(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return { arming: !armed || !review.ready, armingMs };
}
