import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ApprovalPage } from "../api/approval.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

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

/** What is over, the latest decision first. */
export function useHistory({ statuses, q }: HistoryFilters) {
  const { api } = useInbox();
  return useInfiniteQuery({
    queryKey: keys.history({ statuses, q }),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.get<ApprovalPage>(
        "/approvals",
        { status: statuses.join(","), sort: "-decided", q: q.trim(), limit: 50, cursor: pageParam },
        signal,
      ),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** The last five that were decided. */
export function useRecent(enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.recent,
    enabled,
    queryFn: ({ signal }) =>
      api.get<ApprovalPage>(
        "/approvals",
        { status: closedStatuses.join(","), sort: "-decided", limit: 5 },
        signal,
      ),
  });
}

/** Calls that were cut off and that nobody has looked into; asked for once `enabled`. */
export function useInterrupted(enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.interrupted,
    enabled,
    queryFn: ({ signal }) =>
      api.get<ApprovalPage>("/approvals", { status: "interrupted", limit: 20 }, signal),
    select: ({ items }) => items.filter(({ resolution }) => !resolution),
    refetchInterval: 60_000,
  });
}
