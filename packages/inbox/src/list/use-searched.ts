import { useMemo } from "react";
import type { Approval } from "../api/approval.js";
import { type Pending, pendingCount, usePendingSearch } from "../data/approvals/use-pending.js";
import { matches } from "../logic/lists/search.js";
import { byUrgency } from "../logic/lists/urgency.js";

interface Searched {
  items: readonly Approval[];
  /** Changes whenever the rows belong to another search. */
  about: string;
  /** The number of results as text. */
  words: string;
  /** Loads more. Undefined if there are no more, or while they load. */
  more: (() => void) | undefined;
}

/** Searches the pending approvals: first the loaded ones, then all of them on the server. */
export function useSearched(pending: Pending, words: string): Searched {
  const asking = words !== "" && pending.hasNextPage;
  const search = usePendingSearch(words, asking);
  const items = useMemo(() => {
    if (words === "") return pending.items;
    const here = pending.items.filter((item) => matches(item, words));
    if (!asking) return here;
    const known = new Map(
      [...here, ...(search.data?.pages ?? []).flatMap((page) => page.items)].map((item) => [item.id, item]),
    );
    return [...known.values()].sort(byUrgency);
  }, [pending.items, words, asking, search.data]);
  const source = asking ? search : pending;
  const more = words === "" || asking;
  return {
    items,
    about: asking ? `${words} ${search.isSuccess}` : words,
    words: resultCount(items.length, asking && search.hasNextPage, asking && search.isPending),
    more:
      more && source.hasNextPage && !source.isFetchingNextPage
        ? () => void source.fetchNextPage()
        : undefined,
  };
}

function resultCount(count: number, more: boolean, searching: boolean): string {
  if (searching) return count === 0 ? "Searching" : `${count} found so far`;
  return count === 0 ? "No pending approvals match." : `${pendingCount(count, more)} found`;
}
