import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useEffect } from "react";
import type { Approval, ApprovalPage, ApprovalStatus } from "../../api/approval.js";
import { nothingReviewed } from "../../logic/review/reviewed.js";
import { type Inbox, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putInLists } from "./use-list.js";

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

/** One approval, polled while it runs. Notes that the reader has opened it. */
export function useApproval(id: string) {
  const { api, reviewed, link } = useInbox();
  const query = useQuery(approvalQuery({ api, link }, id));
  const digest = query.data?.digest;
  useEffect(() => {
    if (digest === undefined) return;
    reviewed.set((all) =>
      all.get(id)?.digest === digest ? all : new Map(all).set(id, nothingReviewed(digest)),
    );
  }, [id, digest, reviewed]);
  return query;
}

/** One approval that another part of the page loads. */
export function useKnownApproval(id: string | undefined): Approval | undefined {
  return useQuery({ ...approvalQuery(useInbox(), id ?? ""), enabled: false }).data;
}

/** How long a call must be the next one before it is loaded, in milliseconds: while many calls change, each is it for a moment. */
const prefetchMs = 400;

/** Loads the call that is likely to be opened next. */
export function usePrefetchApproval(id: string | undefined): void {
  const { api, link } = useInbox();
  const client = useQueryClient();
  useEffect(() => {
    if (id === undefined) return undefined;
    const load = () => void client.prefetchQuery(approvalQuery({ api, link }, id));
    const timer = setTimeout(load, prefetchMs);
    return () => clearTimeout(timer);
  }, [client, api, link, id]);
}

/** Refetches other calls whose `earlier` call may have changed: of the same tool in the same conversation, or that read the same. */
export function refreshSameTools(client: QueryClient, changed: readonly Approval[]): void {
  const ids = new Set(changed.map(({ id }) => id));
  const kindsOf = ({ threadId, toolName, summary }: Approval) => [
    ...(threadId === null ? [] : [JSON.stringify([threadId, toolName])]),
    summary,
  ];
  const kinds = new Set(changed.flatMap(kindsOf));
  void client.invalidateQueries({
    predicate: ({ queryKey, state }) => {
      const other = state.data as Approval | undefined;
      if (queryKey[0] !== keys.allApprovals[0] || !other || ids.has(other.id)) return false;
      return kindsOf(other).some((kind) => kinds.has(kind));
    },
  });
}

/** Updates an approval in all caches by the server's answer to what the reader did. */
export function putApproval(client: QueryClient, approval: Approval): void {
  client.setQueryData<Approval>(keys.approval(approval.id), (before) => withValues(before, approval));
  putInLists(client, approval);
  const places: QueryKey[] = [keys.approval(approval.id), keys.lists];
  if (approval.threadId !== null) {
    places.push(keys.thread(approval.threadId));
    client.setQueryData<ApprovalPage>(
      keys.thread(approval.threadId),
      (page) => page && inPage(page, approval),
    );
  }
  // An answer that is under way may be from before, and nothing may report the change later: it is asked for again.
  for (const queryKey of places)
    void client.invalidateQueries({ queryKey, fetchStatus: "fetching", refetchType: "all" });
}

function inPage(page: ApprovalPage, approval: Approval): ApprovalPage {
  const known = page.items.some(({ id }) => id === approval.id);
  const items = page.items.map((item) => (item.id === approval.id ? approval : item));
  return { ...page, items: known ? items : [...items, approval] };
}

/**
 * Updates an approval by its row, which has no values. What is on the screen, or was there, is loaded again when it is shown.
 */
export function putRow(client: QueryClient, row: Approval): void {
  putInLists(client, row);
  client.setQueryData<Approval>(keys.approval(row.id), (before) => before && withValues(before, row));
  void client.invalidateQueries({ queryKey: keys.approval(row.id) });
  void client.invalidateQueries({ queryKey: keys.request(row.requestId) });
  if (row.threadId !== null) void client.invalidateQueries({ queryKey: keys.thread(row.threadId) });
}

/** What a row does not have: the values, and what is derived from them. */
const ofValues = [
  ...(["input", "inputSchema", "editedInput", "response", "outcome", "preview", "counts"] as const),
  ...(["codePreview", "checks", "overBudget", "flags", "flagsTruncated", "redacted"] as const),
  ...(["redactedPatterns", "grantSuggestions", "valuesOmitted"] as const),
];

/** An approval in its present state. If a row has no values, they are those of the copy before, if that is of the same call. */
function withValues(before: Approval | undefined, now: Approval): Approval {
  if (!before || !now.valuesOmitted || before.valuesOmitted || before.digest !== now.digest) {
    return { ...before, ...now };
  }
  const values = Object.fromEntries(ofValues.map((name) => [name, before[name]]));
  // A row offers nothing that needs the values to be seen.
  return { ...before, ...now, ...values, yourDecisions: now.mayDecide ? before.yourDecisions : [] };
}
