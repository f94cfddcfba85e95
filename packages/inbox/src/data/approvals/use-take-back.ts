import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLocation } from "wouter";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

/**
 * Takes back what the reader has decided about a call, or brings back a call that they have put aside, and opens the call, which
 * waits again. With `stays`, the page stays as it is. If that is refused, a message says why.
 */
export function useTakeBack(
  how: "takeBack" | "endSnooze" = "takeBack",
): (id: string, stays?: boolean) => Promise<void> {
  const { api, ownDecisions, notices } = useInbox();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useCallback(
    async (id, stays = false) => {
      ownDecisions.set((all) => all.filter((other) => other.id !== id));
      try {
        putApproval(client, await api[how]({ id }));
        if (!stays) navigate(`/approvals/${id}${window.location.search}`);
      } catch (error) {
        notices.set((all) => [...all, { id: `${id} ${all.length}`, error }]);
        void client.invalidateQueries({ queryKey: keys.approval(id) });
      } finally {
        void client.invalidateQueries({ queryKey: keys.audit(id) });
        // No event reports the end of a snooze.
        void client.invalidateQueries({ queryKey: keys.counts });
      }
    },
    [how, api, client, ownDecisions, notices, navigate],
  );
}
