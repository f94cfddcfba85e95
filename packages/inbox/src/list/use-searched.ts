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
  text: string;
  /** Loads more. Undefined if there are no more, or while they load. */
  more: (() => void) | undefined;
}

/** Searches the pending approvals: first the loaded ones, then all of them on the server. */
export function useSearched(pending: Pending, text: string): Searched {
  const asking = text !== "" && pending.hasNextPage;
  const search = usePendingSearch(text, asking);
  const items = useMemo(() => {
    if (text === "") return pending.items;
    const here = pending.items.filter((item) => matches(item, text));
    if (!asking) return here;
    const known = new Map(
      [...here, ...(search.data?.pages ?? []).flatMap((page) => page.items)].map((item) => [item.id, item]),
    );
    return [...known.values()].sort(byUrgency);
  }, [pending.items, text, asking, search.data]);
  const source = asking ? search : pending;
  const more = text === "" || asking;
  return {
    items,
    about: asking ? `${text} ${search.isSuccess}` : text,
    text: resultCount(items.length, asking && search.hasNextPage, asking && search.isPending),
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
