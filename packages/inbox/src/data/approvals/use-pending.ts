import { infiniteQueryOptions, useInfiniteQuery, usePrefetchInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Approval } from "../../api/approval.js";
import { isUndecided } from "../../logic/decisions/hold.js";
import { byUrgency } from "../../logic/lists/urgency.js";
import { firstPendingQuery } from "../inbox/first-requests.js";
import { type Inbox, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** Page size after the first page, which is small so that it loads fast. */
const laterPageSize = 200;

function pendingOptions({ api }: Inbox) {
  return infiniteQueryOptions({
    queryKey: keys.pending,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.listApprovals({
        query: pageParam
          ? { ...firstPendingQuery, limit: laterPageSize, cursor: pageParam }
          : firstPendingQuery,
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** Loads the pending approvals before they are rendered. */
export function usePrefetchPending(): void {
  usePrefetchInfiniteQuery(pendingOptions(useInbox()));
}

/** The reader's pending approvals, most urgent first. More are loaded on scroll. */
export function usePending() {
  const inbox = useInbox();
  const { link } = inbox;
  const query = useInfiniteQuery({
    ...pendingOptions(inbox),
    refetchInterval: ({ state }) => {
      const pages = Math.max(1, state.data?.pages.length ?? 1);
      return pages * (link.get() === "live" ? 60_000 : 10_000);
    },
  });
  const items = useMemo(() => {
    const byId = new Map<string, Approval>();
    for (const page of query.data?.pages ?? []) for (const item of page.items) byId.set(item.id, item);
    return [...byId.values()].filter(isUndecided).sort(byUrgency);
  }, [query.data]);
  return { ...query, items };
}

export type Pending = ReturnType<typeof usePending>;

/** The pending approvals that match all words, as the server finds them. */
export function usePendingSearch(words: string, enabled: boolean) {
  const { api } = useInbox();
  return useInfiniteQuery({
    queryKey: keys.pendingSearch(words),
    enabled,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.listApprovals({
        query: { ...firstPendingQuery, q: words, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** The number of pending approvals, with a plus if more are not loaded yet. */
export function pendingCount(loaded: number, more: boolean): string {
  return `${loaded}${more ? "+" : ""}`;
}
