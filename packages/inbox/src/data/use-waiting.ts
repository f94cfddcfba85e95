import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Approval, ApprovalPage } from "../api/approval.js";
import { byUrgency } from "../logic/urgency.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

const pageSize = 200;

/** What waits for the reader, most urgent first; more is loaded as it is scrolled to. */
export function useWaiting() {
  const { api, link } = useInbox();
  const query = useInfiniteQuery({
    queryKey: keys.waiting,
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<ApprovalPage>(
        "/approvals",
        { status: "pending", sort: "expires", limit: pageSize, cursor: pageParam },
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
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

/** How many wait, with a plus where more are not loaded yet. */
export function countWords(loaded: number, more: boolean): string {
  return `${loaded}${more ? "+" : ""}`;
}
