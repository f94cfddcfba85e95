import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { ApprovalsApiError } from "countersign/client";
import { useCallback } from "react";
import { useLocation } from "wouter";
import type { Me } from "../../api/records.js";
import { type OwnDecision, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

/**
 * Takes back what the reader has decided about some calls, or brings back a call that they have put aside. A single one, which
 * waits again, is opened; with `stays`, the page stays as it is. If that fails, a message says why, and what is left is offered
 * again unless it is too late.
 */
export function useTakeBack(
  how: "takeBack" | "endSnooze" = "takeBack",
): (ids: readonly string[], stays?: boolean) => Promise<void> {
  const { api, ownDecisions, notices } = useInbox();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return useCallback(
    async (ids, stays = false) => {
      const reader = readerOf(client);
      const before = ownDecisions.get();
      ownDecisions.set((all) => only(all, (id) => !ids.includes(id)));
      const takeOne = async (id: string) => {
        try {
          putApproval(client, await api[how]({ id }));
          return [];
        } catch (error) {
          void client.invalidateQueries({ queryKey: keys.approval(id) });
          return [{ id, error }];
        } finally {
          void client.invalidateQueries({ queryKey: keys.audit(id) });
        }
      };
      const failed = (await Promise.all(ids.map(takeOne))).flat();
      // No event reports the end of a snooze.
      void client.invalidateQueries({ queryKey: keys.counts });
      const [first] = failed;
      if (first === undefined) {
        if (ids.length === 1 && !stays) navigate(`/approvals/${ids[0]}${window.location.search}`);
        return;
      }
      notices.set((all) => [...all, { id: `${first.id} ${all.length}`, error: first.error }]);
      const again = failed.filter(({ error }) => !isTooLate(error)).map(({ id }) => id);
      // Another person may have signed in meanwhile.
      if (readerOf(client) !== reader) return;
      ownDecisions.set((all) => [...all, ...only(before, (id) => again.includes(id))]);
    },
    [how, api, client, ownDecisions, notices, navigate],
  );
}

/** What is left of some decisions if only these of their approvals stay. */
function only(decisions: readonly OwnDecision[], stays: (id: string) => boolean): OwnDecision[] {
  return decisions.flatMap((decision) => {
    const approvals = decision.approvals.filter(({ id }) => stays(id));
    if (approvals.length === decision.approvals.length) return [decision];
    const [first] = approvals;
    return first ? [{ id: first.id, approvals }] : [];
  });
}

/** Whether the decision has taken effect, or the reader cannot take it back for another reason that stays. */
function isTooLate(error: unknown): boolean {
  return error instanceof ApprovalsApiError && [403, 404, 409].includes(error.status);
}

function readerOf(client: QueryClient): string {
  const principal = client.getQueryData<Me>(keys.me)?.principal;
  return JSON.stringify([principal?.tenantId, principal?.id]);
}
