import {
  type InfiniteData,
  type QueryClient,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import type { Approval, ApprovalPage, ApprovalStatus } from "../../api/approval.js";
import { isUndecided } from "../../logic/decisions/hold.js";
import { nothingReviewed } from "../../logic/review/unreviewed.js";
import { isRefusal } from "../inbox/create-query-client.js";
import { type Inbox, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

const runningStatuses: readonly ApprovalStatus[] = ["approved", "executing"];

/** Loads one approval, and polls it while it runs, or while it is pending and nothing else reports changes. */
export function approvalQuery({ api, link }: Pick<Inbox, "api" | "link">, id: string) {
  return queryOptions({
    queryKey: keys.approval(id),
    queryFn: ({ signal }): Promise<Approval> => api.getApproval({ id, signal }),
    refetchInterval: ({ state }) => {
      const status = state.data?.status;
      if (status && runningStatuses.includes(status)) return 1_500;
      return status === "pending" && link.get() !== "live" ? 10_000 : false;
    },
  });
}

/** One approval. Shows the copy from a list until it is loaded, and polls it while it runs. */
export function useApproval(id: string) {
  const { api, reviewed, link } = useInbox();
  const client = useQueryClient();
  const query = useQuery({
    ...approvalQuery({ api, link }, id),
    placeholderData: () => fromLists(client, id),
  });
  const digest = query.isPlaceholderData ? undefined : query.data?.digest;
  useEffect(() => {
    if (digest === undefined) return;
    reviewed.set((all) =>
      all.get(id)?.digest === digest ? all : new Map(all).set(id, nothingReviewed(digest)),
    );
  }, [id, digest, reviewed]);
  // Keep showing the copy from the list if the rest cannot be loaded.
  const { data, error, refetch } = query;
  const partly = data === undefined && error && !isRefusal(error) ? fromLists(client, id) : undefined;
  return { data: data ?? partly, partial: partly !== undefined, error, refetch };
}

function fromLists(client: QueryClient, id: string): Approval | undefined {
  const pages = client
    .getQueriesData<InfiniteData<ApprovalPage>>({ predicate: ({ queryKey }) => listNames.has(queryKey[0]) })
    .flatMap(([, data]) => data?.pages ?? []);
  const threads = client
    .getQueriesData<ApprovalPage>({ queryKey: keys.allThreads })
    .flatMap(([, data]) => data ?? []);
  return [...pages, ...threads]
    .flatMap(({ items }) => items)
    .find((item) => item.id === id && !item.valuesOmitted);
}

const listNames = new Set<unknown>(["pending", "pending-search", "history"]);

/** Refetches other calls of the same tool in the same conversation, whose `earlier` call may have changed. */
export function refreshSameTool(client: QueryClient, { id, threadId, toolName }: Approval): void {
  if (threadId === null) return;
  void client.invalidateQueries({
    predicate: ({ queryKey, state }) => {
      const other = state.data as Approval | undefined;
      if (queryKey[0] !== keys.approval(id)[0] || !other || other.id === id) return false;
      return other.threadId === threadId && other.toolName === toolName;
    },
  });
}

/** Updates an approval in all caches. */
export function putApproval(client: QueryClient, approval: Approval): void {
  client.setQueryData<Approval>(keys.approval(approval.id), (before) => ({ ...before, ...approval }));
  type Pages = InfiniteData<ApprovalPage>;
  client.setQueryData<Pages>(keys.pending, (data) => data && inPages(data, approval, true));
  // Only the server knows whether a new approval matches a search.
  client.setQueriesData<Pages>(
    { queryKey: keys.pendingSearches },
    (data) => data && inPages(data, approval, false),
  );
  if (approval.threadId === null) return;
  client.setQueryData<ApprovalPage>(keys.thread(approval.threadId), (page) => {
    if (!page) return page;
    const { items } = page;
    const known = items.some(({ id }) => id === approval.id);
    return {
      ...page,
      items: known ? items.map((item) => (item.id === approval.id ? approval : item)) : [...items, approval],
    };
  });
}

/** Replaces an approval, removes it if it no longer waits for a decision, or appends a new one. Lists are sorted when shown. */
function inPages(
  data: InfiniteData<ApprovalPage>,
  approval: Approval,
  mayBeNew: boolean,
): InfiniteData<ApprovalPage> {
  const pending = isUndecided(approval);
  const known = !mayBeNew || data.pages.some(({ items }) => items.some(({ id }) => id === approval.id));
  const pages = data.pages.map((page, index) => {
    const items = page.items.flatMap((item) =>
      item.id !== approval.id ? [item] : pending ? [approval] : [],
    );
    return { ...page, items: pending && !known && index === 0 ? [...items, approval] : items };
  });
  return { ...data, pages };
}
