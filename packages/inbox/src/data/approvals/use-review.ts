import { useCallback, useMemo } from "react";
import type { Approval } from "../../api/approval.js";
import {
  nothingReviewed,
  type Reviewed,
  type Unreviewed,
  unreviewedOf,
} from "../../logic/review/unreviewed.js";
import { useInbox } from "../inbox/inbox-context.js";
import { useValue } from "../inbox/value-store.js";

/** What the reader has reviewed of an approval. A place is an argument that can be opened, checked or scrolled to. */
export interface Review {
  reviewed: Reviewed;
  unreviewed: Unreviewed;
  mark: (what: "unfolded" | "checked" | "reached", places: readonly string[], done?: boolean) => void;
}

/** Tracks what the reader has reviewed while the page is open. */
export function useReview(approval: Approval, changed: ReadonlySet<string>): Review {
  const { reviewed: store } = useInbox();
  const { id, digest } = approval;
  const kept = useValue(store).get(id);
  const reviewed = useMemo(() => (kept?.digest === digest ? kept : nothingReviewed(digest)), [kept, digest]);
  const unreviewed = useMemo(() => unreviewedOf(approval, reviewed, changed), [approval, reviewed, changed]);
  const mark = useCallback<Review["mark"]>(
    (what, places, done = true) =>
      store.set((all) => {
        const before = all.get(id);
        const now = before?.digest === digest ? before : nothingReviewed(digest);
        if (places.every((place) => now[what].has(place) === done)) return all;
        const after = new Set(now[what]);
        for (const place of places) done ? after.add(place) : after.delete(place);
        return new Map(all).set(id, { ...now, [what]: after });
      }),
    [store, id, digest],
  );
  return { reviewed, unreviewed, mark };
}
