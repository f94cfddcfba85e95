import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { ListView } from "../../logic/lists/view.js";
import { filtersOf } from "../../logic/lists/view.js";
import { countNumber } from "../../words/locale.js";
import { useToday } from "../browser/use-now.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** How many calls are in each of the reader's lists. */
export function useCounts() {
  const { api, link } = useInbox();
  return useQuery({
    queryKey: keys.counts,
    queryFn: ({ signal }) => api.countApprovals({ signal }),
    refetchInterval: () => (link.get() === "live" ? 60_000 : 10_000),
  });
}

/** How many calls the reader has decided today. */
export function useDecidedToday() {
  const { api } = useInbox();
  const today = useToday();
  return useQuery({
    queryKey: keys.decidedToday(today),
    queryFn: ({ signal }) =>
      api.countApprovals({ query: { decidedAfter: new Date(today).toISOString() }, signal }),
    select: ({ decidedByYou }) => decidedByYou ?? 0,
  });
}

/** How many calls of a list meet its search, and what the whole list is about. */
export function useFacets({ list, text }: ListView, enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.facets(list, text),
    enabled,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.listFacets({ query: { list, ...filtersOf(text) }, signal }),
  });
}

/** A count as text. The server does not count beyond 10,001. */
export function countText(count: number | undefined): string | undefined {
  if (count === undefined) return undefined;
  return count > 10_000 ? `${countNumber(10_000)}+` : countNumber(count);
}
