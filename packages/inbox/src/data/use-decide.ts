import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApiError, Unreachable } from "../api/api-error.js";
import type { Approval, DecisionType } from "../api/approval.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";
import { putApproval } from "./use-approval.js";

export interface DecisionBody {
  type: DecisionType;
  digest: string;
  reason?: string;
  input?: unknown;
  response?: unknown;
  grant?: unknown;
}

/** How often a decision is sent again by itself when no answer came. */
const retries = 2;

/** Keys of decisions whose answer has not come, by what they say: sent again, they count once. */
const unanswered = new Map<string, string>();

/** Decides one approval. A decision whose answer got lost is sent again under the same key. */
export function useDecide(id: string) {
  const { api, link } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: DecisionBody) => {
      const said = `${id} ${JSON.stringify(body)}`;
      const idempotencyKey = unanswered.get(said) ?? crypto.randomUUID();
      unanswered.set(said, idempotencyKey);
      try {
        const decided = await api.send<Approval>(
          "POST",
          `/approvals/${encodeURIComponent(id)}/decision`,
          body,
          {
            idempotencyKey,
          },
        );
        unanswered.delete(said);
        return decided;
      } catch (error) {
        if (error instanceof ApiError) unanswered.delete(said);
        throw error;
      }
    },
    retry: (count, error) => error instanceof Unreachable && count < retries,
    retryDelay: (attempt) => 400 * 2 ** attempt,
    networkMode: "always",
    onSuccess: (approval) => putApproval(client, approval),
    onSettled: (_approval, error) => {
      if (error) void client.invalidateQueries({ queryKey: keys.approval(id) });
      void client.invalidateQueries({ queryKey: keys.audit(id) });
      // With live updates the list is right already, and a long one is dear to load again.
      if (link.get() !== "live") void client.invalidateQueries({ queryKey: keys.waiting });
      void client.invalidateQueries({ queryKey: keys.recent });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
}
