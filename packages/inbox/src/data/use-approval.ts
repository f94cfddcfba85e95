import { type InfiniteData, type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { Approval, ApprovalPage, ApprovalStatus } from "../api/approval.js";
import { isRefusal } from "./create-query-client.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

const moving: readonly ApprovalStatus[] = ["approved", "executing"];

/** One approval, shown at once where the list has it already, and followed until it has ended. */
export function useApproval(id: string) {
  const { api, opened, link } = useInbox();
  const client = useQueryClient();
  const query = useQuery({
    queryKey: keys.approval(id),
    queryFn: ({ signal }) => api.get<Approval>(`/approvals/${encodeURIComponent(id)}`, {}, signal),
    placeholderData: () => fromLists(client, id),
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      if (status && moving.includes(status)) return 1_500;
      return status === "pending" && link.get() !== "live" ? 10_000 : false;
    },
  });
  const digest = query.isPlaceholderData ? undefined : query.data?.digest;
  useEffect(() => {
    if (digest !== undefined) opened.set((current) => new Map(current).set(id, digest));
  }, [id, digest, opened]);
  // What the list knows stays in view while the rest cannot be had.
  const { data, error, refetch } = query;
  const partly = data === undefined && error && !isRefusal(error) ? fromLists(client, id) : undefined;
  return { data: data ?? partly, partial: partly !== undefined, error, refetch };
}

function fromLists(client: QueryClient, id: string): Approval | undefined {
  const pages = client
    .getQueriesData<InfiniteData<ApprovalPage>>({ predicate: ({ queryKey }) => listNames.has(queryKey[0]) })
    .flatMap(([, data]) => data?.pages ?? []);
  return pages.flatMap(({ items }) => items).find((item) => item.id === id);
}

const listNames = new Set<unknown>(["waiting", "waiting-search", "history"]);

/** Puts a newer state of an approval wherever it is kept. */
export function putApproval(client: QueryClient, approval: Approval): void {
  client.setQueryData<Approval>(keys.approval(approval.id), (before) => ({ ...before, ...approval }));
  type Pages = InfiniteData<ApprovalPage>;
  client.setQueryData<Pages>(keys.waiting, (data) => data && inPages(data, approval, true));
  // Whether a new one has the words that were searched for, only the server knows.
  client.setQueriesData<Pages>(
    { queryKey: keys.waitingSearches },
    (data) => data && inPages(data, approval, false),
  );
}

/** Changed in its place; gone once it no longer waits; a new one at the end, since the list is sorted when shown. */
function inPages(
  data: InfiniteData<ApprovalPage>,
  approval: Approval,
  mayBeNew: boolean,
): InfiniteData<ApprovalPage> {
  const waits = approval.status === "pending";
  const known = !mayBeNew || data.pages.some(({ items }) => items.some(({ id }) => id === approval.id));
  const pages = data.pages.map((page, index) => {
    const items = page.items.flatMap((item) => (item.id !== approval.id ? [item] : waits ? [approval] : []));
    return { ...page, items: waits && !known && index === 0 ? [...items, approval] : items };
  });
  return { ...data, pages };
}
