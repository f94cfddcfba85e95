import { useMemo } from "react";
import type { Approval } from "../api/approval.js";
import { countWords, useWaitingSearch, type Waiting } from "../data/use-waiting.js";
import { matches } from "../logic/search.js";
import { byUrgency } from "../logic/urgency.js";

interface Searched {
  items: readonly Approval[];
  /** Changes where the rows are an answer to something else. */
  about: string;
  /** How many were found, in words. */
  words: string;
  /** Loads more of them; undefined where there are none, or they are on their way. */
  more: (() => void) | undefined;
}

/** What waits and has some words: at once of what is loaded, then of everything, which the server looks through. */
export function useSearched(waiting: Waiting, words: string): Searched {
  const asking = words !== "" && waiting.hasNextPage;
  const search = useWaitingSearch(words, asking);
  const items = useMemo(() => {
    if (words === "") return waiting.items;
    const here = waiting.items.filter((item) => matches(item, words));
    if (!asking) return here;
    const known = new Map(
      [...here, ...(search.data?.pages ?? []).flatMap((page) => page.items)].map((item) => [item.id, item]),
    );
    return [...known.values()].sort(byUrgency);
  }, [waiting.items, words, asking, search.data]);
  const source = asking ? search : waiting;
  const more = words === "" || asking;
  return {
    items,
    about: asking ? `${words} ${search.isSuccess}` : words,
    words: foundWords(items.length, asking && search.hasNextPage, asking && search.isPending),
    more:
      more && source.hasNextPage && !source.isFetchingNextPage
        ? () => void source.fetchNextPage()
        : undefined,
  };
}

function foundWords(count: number, more: boolean, searching: boolean): string {
  if (searching) return count === 0 ? "Searching" : `${count} found so far`;
  return count === 0 ? "Nothing that waits has these words." : `${countWords(count, more)} found`;
}
