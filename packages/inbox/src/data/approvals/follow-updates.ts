import type { QueryClient } from "@tanstack/react-query";
import { type ApprovalEvent, ApprovalsApiError, ApprovalsConnectionError } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { isRefusal } from "../inbox/create-query-client.js";
import type { Inbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval, refreshSameTool } from "./use-approval.js";

/** Events within this time are handled together, in milliseconds. */
const batchMs = 150;
/** If more approvals change at once, the lists are reloaded instead. */
const maxSingleLoads = 12;
/** Interval between polls while there is no stream, in milliseconds. */
const pollMs = 10_000;
/** Pause before the stream is opened again after it broke, or after the API refused it, in milliseconds. */
const reconnectMs = 3_000;
const refusedMs = 60_000;

/**
 * Follows the server's events until the returned function is called, and resumes after the last event when the stream
 * breaks. Without a stream it polls the lists. `onNew` is called for each approval that has become pending.
 */
export function followUpdates(
  { api, link }: Pick<Inbox, "api" | "link">,
  client: QueryClient,
  onNew: (approval: Approval) => void,
): () => void {
  const changed = new Set<string>();
  let batchTimer: ReturnType<typeof setTimeout> | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  let polling: ReturnType<typeof setInterval> | undefined;
  let lastId: string | undefined;
  const controller = new AbortController();
  const { signal } = controller;

  const refreshLists = () => {
    void client.invalidateQueries({ queryKey: keys.pending });
    void client.invalidateQueries({ queryKey: keys.pendingSearches });
    void client.invalidateQueries({ queryKey: keys.recent });
    void client.invalidateQueries({ queryKey: keys.allThreads });
    void client.invalidateQueries({ queryKey: keys.interrupted });
    void client.invalidateQueries({ queryKey: keys.allHistory });
    void client.invalidateQueries({ queryKey: keys.stops });
    // Retry what failed while the server was unreachable.
    void client.refetchQueries({
      type: "active",
      predicate: ({ state }) => state.status === "error" && !isRefusal(state.error),
    });
  };
  const load = async (id: string) => {
    const known = client.getQueryData(keys.approval(id)) !== undefined;
    const approval = await api.getApproval({ id }).catch((error: unknown) => {
      if (!(error instanceof ApprovalsApiError)) refreshLists();
      return undefined;
    });
    if (!approval || signal.aborted) return;
    putApproval(client, approval);
    refreshSameTool(client, approval);
    if (approval.status === "pending" && !known) onNew(approval);
  };
  const answer = () => {
    batchTimer = undefined;
    const ids = [...changed];
    changed.clear();
    if (ids.length > maxSingleLoads) return refreshLists();
    for (const id of ids) {
      void load(id);
      void client.invalidateQueries({ queryKey: keys.audit(id) });
      void client.invalidateQueries({ queryKey: keys.messages(id) });
    }
    void client.invalidateQueries({ queryKey: keys.recent });
    void client.invalidateQueries({ queryKey: keys.allHistory });
  };
  const handle = (event: ApprovalEvent) => {
    if (event.event === "hello") {
      clearInterval(polling);
      link.set("live");
      refreshLists();
    } else if (event.event === "change") {
      const { type, approvalId } = event.data;
      lastId = event.id;
      if (type.startsWith("grant.")) void client.invalidateQueries({ queryKey: keys.allGrants });
      if (approvalId === null) return;
      changed.add(approvalId);
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
      for await (const event of api.followEvents({ after: lastId, signal })) handle(event);
    } catch (error) {
      if (error instanceof ApprovalsApiError) return refusedMs;
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
    window.removeEventListener("online", onBack);
    window.removeEventListener("offline", onGone);
  };
}
