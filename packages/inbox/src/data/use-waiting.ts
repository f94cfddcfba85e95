import { infiniteQueryOptions, useInfiniteQuery, usePrefetchInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Approval, ApprovalPage } from "../api/approval.js";
import { byUrgency } from "../logic/urgency.js";
import { firstWaitingPath } from "./first-requests.js";
import { type Inbox, useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

/** The first page, whose size is {@link firstWaitingPath}'s, fills a screen and is there soon; those that follow are larger. */
const laterPages = 200;

function waitingOptions({ api }: Inbox) {
  return infiniteQueryOptions({
    queryKey: keys.waiting,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      pageParam === ""
        ? api.get<ApprovalPage>(firstWaitingPath, {}, signal)
        : api.get<ApprovalPage>(
            "/approvals",
            { status: "pending", sort: "expires", limit: laterPages, cursor: pageParam },
            signal,
          ),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** Asks for what waits before it is shown. */
export function usePrefetchWaiting(): void {
  usePrefetchInfiniteQuery(waitingOptions(useInbox()));
}

/** What waits for the reader, most urgent first; more is loaded as it is scrolled to. */
export function useWaiting() {
  const inbox = useInbox();
  const { link } = inbox;
  const query = useInfiniteQuery({
    ...waitingOptions(inbox),
    refetchInterval: ({ state }) => {
      const pages = Math.max(1, state.data?.pages.length ?? 1);
      return pages * (link.get() === "live" ? 60_000 : 10_000);
    },
  });
  const items = useMemo(() => {
    const byId = new Map<string, Approval>();
    for (const page of query.data?.pages ?? []) for (const item of page.items) byId.set(item.id, item);
    return [...byId.values()].sort(byUrgency);
  }, [query.data]);
  return { ...query, items };
}

export type Waiting = ReturnType<typeof useWaiting>;

/** What waits and has all of some words, as the server finds it. Asked for while `enabled`. */
export function useWaitingSearch(words: string, enabled: boolean) {
  const { api } = useInbox();
  return useInfiniteQuery({
    queryKey: keys.waitingSearch(words),
    enabled,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<ApprovalPage>(
        "/approvals",
        { status: "pending", sort: "expires", q: words, limit: 50, cursor: pageParam },
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** How many wait, with a plus where more are not loaded yet. */
export function countWords(loaded: number, more: boolean): string {
  return `${loaded}${more ? "+" : ""}`;
}
