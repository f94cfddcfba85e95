import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { ApprovalsApiError } from "countersign/client";
import { useCallback } from "react";
import { useLocation } from "wouter";
import type { Me } from "../../api/records.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

/**
 * Takes back what the reader has decided about a call, or brings back a call that they have put aside, and opens the call, which
 * waits again. With `stays`, the page stays as it is. If that fails, a message says why, and the decision is offered again unless
 * it is too late. Returns whether the call waits again.
 */
export function useTakeBack(
  how: "takeBack" | "endSnooze" = "takeBack",
): (id: string, stays?: boolean) => Promise<boolean> {
  const { api, ownDecisions, notices } = useInbox();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useCallback(
    async (id, stays = false) => {
      const reader = readerOf(client);
      const taken = ownDecisions.get().find((other) => other.id === id);
      ownDecisions.set((all) => all.filter((other) => other.id !== id));
      try {
        putApproval(client, await api[how]({ id }));
        if (!stays) navigate(`/approvals/${id}${window.location.search}`);
        return true;
      } catch (error) {
        // Another person may have signed in meanwhile.
        if (taken && !isTooLate(error) && readerOf(client) === reader) {
          ownDecisions.set((all) => [...all, taken]);
        }
        notices.set((all) => [...all, { id: `${id} ${all.length}`, error }]);
        void client.invalidateQueries({ queryKey: keys.approval(id) });
        return false;
      } finally {
        void client.invalidateQueries({ queryKey: keys.audit(id) });
        // No event reports the end of a snooze.
        void client.invalidateQueries({ queryKey: keys.counts });
      }
    },
    [how, api, client, ownDecisions, notices, navigate],
  );
}

/** Whether the decision has taken effect, or the reader cannot take it back for another reason that stays. */
function isTooLate(error: unknown): boolean {
  return error instanceof ApprovalsApiError && [403, 404, 409].includes(error.status);
}

function readerOf(client: QueryClient): string {
  const principal = client.getQueryData<Me>(keys.me)?.principal;
  return JSON.stringify([principal?.tenantId, principal?.id]);
}
