import { useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import { ApprovalsApiError, type BodyOf } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { defaultHoldMs, holdMsOf } from "../../logic/decisions/hold.js";
import { errorMessage } from "../../logic/wording/error-message.js";
import { words } from "../../words/words.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

export interface BulkDecision {
  approve: readonly Approval[];
  deny: readonly Approval[];
  /** Why those are denied. */
  reason: string;
}

export type BulkOutcome = { ok: boolean; text: string };

const mutationKey = ["decide many"];

/** Whether decisions about several approvals are on their way, also those of a dialog that was closed meanwhile. */
export function useIsBulkDeciding(): boolean {
  return useIsMutating({ mutationKey }) > 0;
}

/** Decides several approvals at once. Each has its own outcome. What was typed for those that are decided is dropped. */
export function useBulkDecide() {
  const { api, config, ownDecisions, drafts, selected, onDecided } = useInbox();
  const { holdMs = defaultHoldMs } = config;
  const client = useQueryClient();
  return useMutation({
    mutationKey,
    mutationFn: async (decision: BulkDecision): Promise<ReadonlyMap<string, BulkOutcome>> => {
      const sent = drafts.get();
      const { results } = await api.decideMany({ body: bodyOf(decision, holdMs) });
      const decided = results.flatMap((result) => (result.ok ? [result.approval] : []));
      for (const approval of decided) {
        putApproval(client, approval);
        onDecided(approval);
      }
      const [first] = decided;
      if (first) ownDecisions.set((all) => [...all, { id: first.id, approvals: decided }]);
      const isDecided = (id: string) => decided.some((approval) => approval.id === id);
      drafts.set(
        (all) => new Map([...all].filter(([id, draft]) => !isDecided(id) || sent.get(id) !== draft)),
      );
      return new Map(
        results.map((result): [string, BulkOutcome] =>
          result.ok
            ? [result.approval.id, { ok: true, text: outcomeText(result.approval) }]
            : [result.id, { ok: false, text: errorMessage(new ApprovalsApiError(result.problem)).title }],
        ),
      );
    },
    onSuccess: () => selected.set(new Set()),
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.lists });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
}

function bodyOf({ approve, deny, reason }: BulkDecision, wantedMs: number): BodyOf<"decideMany"> {
  const itemOf = (approval: Approval, type: "approve" | "deny") => {
    const { id, digest } = approval;
    const holdMs = holdMsOf(approval, wantedMs, false);
    const explanation = type === "deny" && reason ? { reason } : {};
    return { id, digest, type, ...explanation, ...(holdMs !== undefined && { holdMs }) };
  };
  return {
    items: [...approve.map((each) => itemOf(each, "approve")), ...deny.map((each) => itemOf(each, "deny"))],
  };
}

function outcomeText({ status, held }: Approval): string {
  const { denied, approved, voted, now } = words.page.batchOutcome;
  if (held) return held.type === "deny" ? denied : approved;
  return status === "pending" ? voted : now(words.decided.status[status]);
}
