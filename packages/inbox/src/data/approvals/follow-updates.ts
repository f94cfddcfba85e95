import type { QueryClient } from "@tanstack/react-query";
import { type ApprovalEvent, ApprovalsApiError, ApprovalsConnectionError } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { isRefusal, isSignedOut } from "../inbox/create-query-client.js";
import type { Inbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putRow, refreshSameTools } from "./use-approval.js";
import { isListed } from "./use-list.js";

/** Events within this time are handled together, in milliseconds. */
const batchMs = 150;
/** If more approvals change at once, the lists are reloaded instead. */
const maxRows = 200;
/** The shortest time between two reloads of the counts, in milliseconds. */
const countsMs = 2_000;
/** What makes a call somebody's to decide. */
const newTypes = ["approval.announced", "approval.assigned", "approval.escalated"];
/** Interval between polls while there is no stream, in milliseconds. */
const pollMs = 10_000;
/** Pause before the stream is opened again after it broke, or after the API refused it, in milliseconds. */
const reconnectMs = 3_000;
const refusedMs = 60_000;

/** What happened to a call since the last batch. */
interface Changed {
  row: Approval | undefined;
  types: Set<string>;
  /** Whether a batch has waited for its row. */
  waited: boolean;
}

/**
 * Follows the server's events until the returned function is called, and resumes after the last event when the stream
 * breaks. Without a stream it polls the lists. `onNew` is called for each approval that has become pending.
 */
export function followUpdates(
  { api, link }: Pick<Inbox, "api" | "link">,
  client: QueryClient,
  onNew: (approval: Approval) => void,
): () => void {
  const changed = new Map<string, Changed>();
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let countsTimer: ReturnType<typeof setTimeout> | undefined;
  let lastId: string | undefined;
  const controller = new AbortController();
  const { signal } = controller;

  const refreshLists = () => {
    void client.invalidateQueries({ queryKey: keys.lists });
    void client.invalidateQueries({ queryKey: keys.counts });
    void client.invalidateQueries({ queryKey: keys.allFacets });
    void client.invalidateQueries({ queryKey: keys.recent });
    void client.invalidateQueries({ queryKey: keys.allThreads });
    void client.invalidateQueries({ queryKey: keys.allHistory });
    void client.invalidateQueries({ queryKey: keys.stops });
    // Retry what failed while the server was unreachable.
    void client.refetchQueries({
      type: "active",
      predicate: ({ state }) => state.status === "error" && !isRefusal(state.error),
    });
  };
  /** Calls that this page has reported as new. */
  const reported = new Set<string>();
  const refreshCounts = () => {
    countsTimer ??= setTimeout(() => {
      countsTimer = undefined;
      void client.invalidateQueries({ queryKey: keys.counts });
      void client.invalidateQueries({ queryKey: keys.allFacets });
      void client.invalidateQueries({ queryKey: keys.recent });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    }, countsMs);
  };
  const answer = () => {
    batchTimer = undefined;
    const rows = [...changed].filter(([, { row, waited }]) => row !== undefined || waited);
    for (const [id] of rows) changed.delete(id);
    // Of several events about a call, the last one has its row, and may be on its way.
    for (const each of changed.values()) each.waited = true;
    if (changed.size > 0) batchTimer = setTimeout(answer, batchMs);
    // The server sends no rows of what happened long ago.
    if (rows.length > maxRows || rows.some(([, { row }]) => !row)) {
      refreshLists();
      void client.invalidateQueries({ queryKey: keys.allApprovals });
      return;
    }
    for (const [id, { row, types }] of rows) {
      void client.invalidateQueries({ queryKey: keys.audit(id) });
      void client.invalidateQueries({ queryKey: keys.messages(id) });
      if (!row) continue;
      const wasListed = isListed(client, id);
      putRow(client, row);
      const isNew = row.lists.includes("for_you") && !wasListed && !reported.has(id);
      if (!isNew || !newTypes.some((type) => types.has(type))) continue;
      reported.add(id);
      onNew(row);
    }
    refreshSameTools(
      client,
      rows.flatMap(([, { row }]) => row ?? []),
    );
    refreshCounts();
  };
  const handle = (event: ApprovalEvent) => {
    if (event.event === "hello") {
      clearInterval(polling);
      link.set("live");
      refreshLists();
    } else if (event.event === "change") {
      const { type, approvalId, row } = event.data;
      lastId = event.id;
      if (type.startsWith("grant.")) void client.invalidateQueries({ queryKey: keys.allGrants });
      if (approvalId === null) return;
      const known = changed.get(approvalId) ?? { row: undefined, types: new Set<string>(), waited: false };
      changed.set(approvalId, { ...known, row: row ?? known.row, types: known.types.add(type) });
      batchTimer ??= setTimeout(answer, batchMs);
    } else if (event.event === "viewing") {
      void client.invalidateQueries({ queryKey: keys.approval(event.data.approvalId) });
    } else if (event.event === "stops") {
      refreshLists();
      void client.invalidateQueries({ queryKey: keys.allApprovals });
    }
  };
  const poll = async () => {
    try {
      await api.listApprovals({ query: { status: "pending", limit: 1 } });
      if (!signal.aborted) link.set("polling");
      refreshLists();
    } catch (error) {
      if (!signal.aborted && error instanceof ApprovalsConnectionError) link.set("offline");
    }
  };
  /** Follows one stream until it ends, and returns the pause before the next one. */
  const followOnce = async () => {
    try {
      for await (const event of api.followEvents({ after: lastId, rows: true, signal })) handle(event);
    } catch (error) {
      // Whoever has signed out may sign in at any moment.
      if (error instanceof ApprovalsApiError && !isSignedOut(error)) return refusedMs;
    }
    return reconnectMs;
  };
  const follow = async () => {
    while (!signal.aborted) {
      const pauseMs = await followOnce();
      if (signal.aborted) return;
      clearInterval(polling);
      polling = setInterval(() => void poll(), pollMs);
      void poll();
      await new Promise((resolve) => {
        again = setTimeout(resolve, pauseMs);
      });
    }
  };
  const onBack = () => void poll();
  const onGone = () => link.set("offline");
  window.addEventListener("online", onBack);
  window.addEventListener("offline", onGone);
  void follow();
  return () => {
    controller.abort();
    clearInterval(polling);
    clearTimeout(again);
    clearTimeout(batchTimer);
    clearTimeout(countsTimer);
    window.removeEventListener("online", onBack);
    window.removeEventListener("offline", onGone);
  };
}
