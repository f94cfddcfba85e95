import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ApiError, Unreachable } from "../api/api-error.js";
import type { Approval } from "../api/approval.js";
import { isRecord } from "../logic/paths.js";
import { isRefusal } from "./create-query-client.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";
import { putApproval } from "./use-approval.js";

/** Events within this time, in milliseconds, are answered together. */
const gatherMs = 150;
/** More changes at once are cheaper to load as a list. */
const mostSingly = 12;
/** Without a stream: how often the lists are asked for, and how often the stream is tried again, in milliseconds. */
const pollMs = 10_000;
const streamAgainMs = 60_000;

/**
 * Follows the server's events while it is mounted, and resumes after a break where it stopped (the browser sends
 * Last-Event-ID). Where there is no stream, the lists are polled. `onNew` hears of what has come to wait.
 */
export function useLiveUpdates(onNew: (approval: Approval) => void): void {
  const { api, clock, link } = useInbox();
  const client = useQueryClient();

  useEffect(() => {
    const changed = new Set<string>();
    let gathering: ReturnType<typeof setTimeout> | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    let polling: ReturnType<typeof setInterval> | undefined;
    let source: EventSource | undefined;
    let lastId = "";
    let over = false;

    const refreshLists = () => {
      void client.invalidateQueries({ queryKey: keys.waiting });
      void client.invalidateQueries({ queryKey: keys.waitingSearches });
      void client.invalidateQueries({ queryKey: keys.recent });
      void client.invalidateQueries({ queryKey: keys.interrupted });
      void client.invalidateQueries({ queryKey: keys.allHistory });
      // What did not get through while the server was away.
      void client.refetchQueries({
        type: "active",
        predicate: ({ state }) => state.status === "error" && !isRefusal(state.error),
      });
    };
    const load = async (id: string) => {
      const known = client.getQueryData(keys.approval(id)) !== undefined;
      const approval = await api
        .get<Approval>(`/approvals/${encodeURIComponent(id)}`)
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) refreshLists();
          return undefined;
        });
      if (!approval || over) return;
      putApproval(client, approval);
      if (approval.status === "pending" && !known) onNew(approval);
    };
    const answer = () => {
      gathering = undefined;
      const ids = [...changed];
      changed.clear();
      if (ids.length > mostSingly) return refreshLists();
      for (const id of ids) {
        void load(id);
        void client.invalidateQueries({ queryKey: keys.audit(id) });
      }
      void client.invalidateQueries({ queryKey: keys.recent });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    };
    const onChange = (event: MessageEvent<string>) => {
      lastId = event.lastEventId || lastId;
      const data: unknown = JSON.parse(event.data);
      if (!isRecord(data)) return;
      if (String(data.type).startsWith("grant.")) void client.invalidateQueries({ queryKey: keys.allGrants });
      if (typeof data.approvalId !== "string") return;
      changed.add(data.approvalId);
      gathering ??= setTimeout(answer, gatherMs);
    };

    const poll = async () => {
      try {
        await api.get("/approvals", { status: "pending", limit: 1 });
        if (!over) link.set("polling");
        refreshLists();
      } catch (error) {
        if (!over && error instanceof Unreachable) link.set("offline");
      }
    };
    const fallBack = () => {
      source?.close();
      polling ??= setInterval(() => void poll(), pollMs);
      void poll();
      again = setTimeout(open, streamAgainMs);
    };
    const open = () => {
      const from = lastId ? `?after=${encodeURIComponent(lastId)}` : "";
      source = new EventSource(`${api.base}/events${from}`);
      source.addEventListener("hello", (event: MessageEvent<string>) => {
        const data: unknown = JSON.parse(event.data);
        if (isRecord(data) && typeof data.serverTime === "string") clock.note(data.serverTime);
      });
      source.addEventListener("change", onChange);
      source.addEventListener("viewing", (event: MessageEvent<string>) => {
        const data: unknown = JSON.parse(event.data);
        if (isRecord(data) && typeof data.approvalId === "string") {
          void client.invalidateQueries({ queryKey: keys.approval(data.approvalId) });
        }
      });
      source.onopen = () => {
        clearInterval(polling);
        polling = undefined;
        link.set("live");
        refreshLists();
      };
      source.onerror = () => {
        if (over) return;
        if (source?.readyState === EventSource.CLOSED) return fallBack();
        // The browser connects again by itself; meanwhile find out whether the server is there at all.
        void poll();
      };
    };
    const onBack = () => void poll();
    const onGone = () => link.set("offline");
    window.addEventListener("online", onBack);
    window.addEventListener("offline", onGone);
    open();
    return () => {
      over = true;
      source?.close();
      clearInterval(polling);
      clearTimeout(again);
      clearTimeout(gathering);
      window.removeEventListener("online", onBack);
      window.removeEventListener("offline", onGone);
    };
  }, [api, clock, link, client, onNew]);
}
