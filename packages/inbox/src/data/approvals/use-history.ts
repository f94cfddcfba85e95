import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ApprovalsClient } from "countersign/client";
import { closedStatuses } from "../../logic/lists/closed-statuses.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** Which calls history shows, as the API's query. */
export type HistoryQuery = Omit<
  NonNullable<Parameters<ApprovalsClient["listApprovals"]>[0]>["query"] & object,
  "sort" | "limit" | "cursor"
>;

/** Approvals that are no longer pending, latest decision first. */
export function useHistory(wanted: HistoryQuery) {
  const { api } = useInbox();
  return useInfiniteQuery({
    queryKey: keys.history(wanted),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.listApprovals({
        query: { ...wanted, sort: "-decided", limit: 50, cursor: pageParam || undefined },
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** The last five decisions. */
export function useRecent(enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.recent,
    enabled,
    queryFn: ({ signal }) =>
      api.listApprovals({ query: { status: closedStatuses, sort: "-decided", limit: 5 }, signal }),
  });
}
