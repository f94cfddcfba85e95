import { type RefObject, useCallback, useMemo } from "react";
import type { Approval } from "../../api/approval.js";
import { nothingReviewed, type Reviewed } from "../../logic/review/reviewed.js";
import { seeingTime } from "../../logic/review/seeing-time.js";
import { isReviewed, type Unreviewed, unreviewedOf } from "../../logic/review/unreviewed.js";
import { useInbox } from "../inbox/inbox-context.js";
import { useValue } from "../inbox/value-store.js";
import { useSeenClock } from "./use-seen-clock.js";
import { useSettled } from "./use-settled.js";

/** What the reader has reviewed of an approval. A place is an argument that can be opened, checked or scrolled to. */
export interface Reviewing {
  reviewed: Reviewed;
  unreviewed: Unreviewed;
  mark: (what: "unfolded" | "checked" | "reached", places: readonly string[], done?: boolean) => void;
  /** Notes that the reader had the time to read it. */
  markSeen: () => void;
}

/** The same for the call that is open. */
export interface Review extends Omit<Reviewing, "markSeen"> {
  /** Whether the buttons have stayed in their place for a moment, so that a click is meant for them. */
  settled: boolean;
  /** Whether a key can decide: the call was seen, or a second step will name what was not reviewed. */
  ready: boolean;
  /** Milliseconds until a key can decide. */
  timeLeft: () => number;
}

/** What the reader has reviewed while the page is open, and functions that add to it. */
export function useReviewing(approval: Approval, changed?: ReadonlySet<string>): Reviewing {
  const { reviewed: store } = useInbox();
  const { id, digest } = approval;
  const kept = useValue(store).get(id);
  const reviewed = useMemo(() => (kept?.digest === digest ? kept : nothingReviewed(digest)), [kept, digest]);
  const unreviewed = useMemo(() => unreviewedOf(approval, reviewed, changed), [approval, reviewed, changed]);
  const change = useCallback(
    (next: (now: Reviewed) => Reviewed) =>
      store.set((all) => {
        const before = all.get(id);
        const now = before?.digest === digest ? before : nothingReviewed(digest);
        const after = next(now);
        return after === now ? all : new Map(all).set(id, after);
      }),
    [store, id, digest],
  );
  const mark = useCallback<Reviewing["mark"]>(
    (what, places, done = true) =>
      change((now) => {
        if (places.every((place) => now[what].has(place) === done)) return now;
        const after = new Set(now[what]);
        for (const place of places) done ? after.add(place) : after.delete(place);
        // A text that was opened takes its own time.
        return { ...now, [what]: after, seen: now.seen && what !== "unfolded" };
      }),
    [change],
  );
  const markSeen = useCallback(() => change((now) => ({ ...now, seen: true })), [change]);
  return { reviewed, unreviewed, mark, markSeen };
}

/** Tracks what the reader has reviewed of the open call. `element` shows it. */
export function useReview(
  approval: Approval,
  changed: ReadonlySet<string>,
  element: RefObject<HTMLElement | null>,
): Review {
  const { reviewed, unreviewed, mark, markSeen } = useReviewing(approval, changed);
  const ms = useMemo(() => seeingTime(approval), [approval]);
  const counts = !reviewed.seen && unreviewed.below.length === 0;
  const left = useSeenClock(element, counts ? ms : undefined, markSeen, useInbox().covers);
  const settled = useSettled(approval);
  const ready = settled && (reviewed.seen || !isReviewed(unreviewed));
  return { reviewed, unreviewed, settled, ready, timeLeft: () => left() ?? ms, mark };
}
