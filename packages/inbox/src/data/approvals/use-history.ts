import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

export const closedStatuses = [
  "approved",
  "executing",
  "executed",
  "failed",
  "interrupted",
  "denied",
  "responded",
  "expired",
  "withdrawn",
] as const;

export interface HistoryFilters {
  statuses: readonly string[];
  q: string;
}

/** Approvals that are no longer pending, latest decision first. */
export function useHistory({ statuses, q }: HistoryFilters) {
  const { api } = useInbox();
  return useInfiniteQuery({
    queryKey: keys.history({ statuses, q }),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.listApprovals({
        query: {
          status: statuses.join(","),
          sort: "-decided",
          q: q.trim() || undefined,
          limit: 50,
          cursor: pageParam || undefined,
        },
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
      api.listApprovals({ query: { status: closedStatuses.join(","), sort: "-decided", limit: 5 }, signal }),
  });
}
