import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type AnswerOf, ApprovalsApiError, type BodyOf } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { errorMessage } from "../../api/error-message.js";
import { statusLabels } from "../../logic/wording/outcome-text.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

export interface BulkDecision {
  type: "approve" | "deny";
  items: readonly Approval[];
  reason: string;
}

type Result = AnswerOf<"decideMany">["results"][number];

export type BulkOutcome = { ok: boolean; text: string };

/** Decides several approvals at once. Each has its own outcome. */
export function useBulkDecide() {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (decision: BulkDecision) => {
      const { results } = await api.decideMany({ body: bodyOf(decision) });
      const outcomes = new Map<string, BulkOutcome>();
      for (const result of results) {
        if (result.ok) putApproval(client, result.approval);
        outcomes.set(result.id, outcomeOf(result));
      }
      return outcomes;
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.pending });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
}

function bodyOf({ type, items, reason }: BulkDecision): BodyOf<"decideMany"> {
  const explanation = type === "deny" && reason ? { reason } : {};
  return { items: items.map(({ id, digest }) => ({ id, digest, type, ...explanation })) };
}

function outcomeOf(result: Result): BulkOutcome {
  if (!result.ok) return { ok: false, text: errorMessage(new ApprovalsApiError(result.problem)).title };
  const { status } = result.approval;
  const text =
    status === "pending" ? "Your vote was counted; more are needed" : `Now ${statusLabels[status]}`;
  return { ok: true, text };
}
