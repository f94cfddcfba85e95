import {
  type InfiniteData,
  infiniteQueryOptions,
  type QueryClient,
  useInfiniteQuery,
  usePrefetchInfiniteQuery,
} from "@tanstack/react-query";
import type { AnswerOf } from "countersign/client";
import { useMemo } from "react";
import type { Approval, ApprovalPage } from "../../api/approval.js";
import { byUrgency } from "../../logic/lists/urgency.js";
import { filtersOf, type ListName, type ListView, meets, queryOf } from "../../logic/lists/view.js";
import { firstListQuery } from "../inbox/first-requests.js";
import { type Inbox, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** Page size after the first page, which is small so that it loads fast. */
const laterPageSize = 200;

type Pages = InfiniteData<ApprovalPage>;

/** The others also have calls whose time to decide is over, or that need no decision. */
function isByUrgency(list: ListName): boolean {
  return list === "for_you" || list === "snoozed" || list === "waiting";
}

function listOptions({ api }: Inbox, { list, text }: ListView) {
  const query = {
    ...firstListQuery,
    list,
    sort: isByUrgency(list) ? firstListQuery.sort : ("-created" as const),
    ...filtersOf(text),
  };
  return infiniteQueryOptions({
    queryKey: keys.list(list, text),
    initialPageParam: "",
    queryFn: ({ pageParam, signal }) =>
      api.listApprovals({
        query: pageParam ? { ...query, limit: laterPageSize, cursor: pageParam } : query,
        signal,
      }),
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
}

/** Loads the first list before it is rendered. */
export function usePrefetchFirstList(): void {
  usePrefetchInfiniteQuery(listOptions(useInbox(), { list: "for_you", text: "" }));
}

/** The calls of a list that meet its search, most urgent first. More are loaded on scroll. */
export function useList(view: ListView) {
  const inbox = useInbox();
  const { link } = inbox;
  const query = useInfiniteQuery({
    ...listOptions(inbox, view),
    // Keeps the rows while another search is answered.
    placeholderData: (previous, previousQuery) =>
      previousQuery?.queryKey[1] === view.list ? previous : undefined,
    refetchInterval: ({ state }) => {
      const pages = Math.max(1, state.data?.pages.length ?? 1);
      return pages * (link.get() === "live" ? 60_000 : 10_000);
    },
  });
  const { data } = query;
  const items = useMemo(() => itemsOf(view.list, data), [data, view.list]);
  /** Loads further pages until all calls are there, or so many. */
  const loadAll = async (most: number): Promise<Approval[]> => {
    let loaded: Pick<typeof query, "data" | "hasNextPage" | "isError"> = query;
    while (loaded.hasNextPage && !loaded.isError && itemsOf(view.list, loaded.data).length < most) {
      loaded = await query.fetchNextPage();
    }
    return itemsOf(view.list, loaded.data);
  };
  return { ...query, items, loadAll };
}

function itemsOf(list: ListName, data: Pages | undefined): Approval[] {
  const byId = new Map<string, Approval>();
  for (const page of data?.pages ?? []) for (const item of page.items) byId.set(item.id, item);
  return isByUrgency(list) ? [...byId.values()].sort(byUrgency) : [...byId.values()];
}

/** Whether a call is in what was loaded of the first list. */
export function isListed(client: QueryClient, id: string): boolean {
  const loaded = client.getQueryData<Pages>(keys.list("for_you", ""));
  return loaded?.pages.some(({ items }) => items.some((item) => item.id === id)) ?? false;
}

/** Puts a call into the lists that it belongs to by now, and removes it from the others. */
export function putInLists(client: QueryClient, approval: Approval): void {
  const meId = client.getQueryData<AnswerOf<"me">>(keys.me)?.principal.id;
  const nowMs = Date.now();
  for (const [key] of client.getQueriesData<Pages>({ queryKey: keys.lists })) {
    const [, name, text] = key as [string, ListName, string];
    const belongs = approval.lists.includes(name) && meets(approval, queryOf(text), { nowMs, meId });
    client.setQueryData<Pages>(key, (data) => data && inPages(data, approval, belongs));
  }
}

/** Replaces a call, removes it if it no longer belongs to the list, or appends a new one. Lists are sorted when shown. */
function inPages(data: Pages, approval: Approval, belongs: boolean): Pages {
  const known = data.pages.some(({ items }) => items.some(({ id }) => id === approval.id));
  if (!known && !belongs) return data;
  const pages = data.pages.map((page, index) => {
    const items = page.items.flatMap((item) =>
      item.id !== approval.id ? [item] : belongs ? [approval] : [],
    );
    return { ...page, items: belongs && !known && index === 0 ? [...items, approval] : items };
  });
  return { ...data, pages };
}
