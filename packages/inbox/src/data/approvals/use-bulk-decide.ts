import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApprovalsApiError, type BodyOf } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { errorMessage } from "../../api/error-message.js";
import { defaultHoldMs, holdMsOf } from "../../logic/decisions/hold.js";
import { statusLabels } from "../../logic/wording/outcome-text.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

export interface BulkDecision {
  approve: readonly Approval[];
  deny: readonly Approval[];
  /** Why those are denied. */
  reason: string;
}

type Result = AnswerOf<"decideMany">["results"][number];

export type BulkOutcome = { ok: boolean; text: string };

/** Decides several approvals at once. Each has its own outcome. */
export function useBulkDecide() {
  const { api, config, ownDecisions } = useInbox();
  const { holdMs = defaultHoldMs } = config;
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (decision: BulkDecision) => {
      const { results } = await api.decideMany({ body: bodyOf(decision, holdMs) });
      const outcomes = new Map<string, BulkOutcome>();
      for (const result of results) {
        if (result.ok) {
          const { approval } = result;
          putApproval(client, approval);
          if (approval.held) ownDecisions.set((all) => [...all, approval]);
        }
        outcomes.set(result.id, outcomeOf(result));
      }
      return outcomes;
    },
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

function outcomeOf(result: Result): BulkOutcome {
  if (!result.ok) return { ok: false, text: errorMessage(new ApprovalsApiError(result.problem)).title };
  const { status, held } = result.approval;
  if (held) return { ok: true, text: held.type === "deny" ? "Denied" : "Approved" };
  const text =
    status === "pending" ? "Your vote was counted; more are needed" : `Now ${statusLabels[status]}`;
  return { ok: true, text };
}
