import { useEffect, useLayoutEffect, useState } from "react";
import type { Approval } from "../../api/approval.js";
import { minSeeingMs } from "../../logic/review/seeing-time.js";
import { useInbox } from "../inbox/inbox-context.js";
import { useValue } from "../inbox/value-store.js";

/**
 * False for a moment after a call on the page has appeared, was decided or has left. The buttons of other calls may have
 * moved under the pointer: the second click of a double click must not decide the next call.
 */
export function useSettled({ id, status, votes, held }: Approval): boolean {
  const { moves } = useInbox();
  const now = useValue(moves);
  const [settled, setSettled] = useState(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these moves the buttons
  useLayoutEffect(() => {
    const move = () => moves.set((count) => count + 1);
    move();
    return move;
  }, [moves, id, status, votes.length, held?.until]);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(now), minSeeingMs);
    return () => clearTimeout(timer);
  }, [now]);
  return settled === now;
}
