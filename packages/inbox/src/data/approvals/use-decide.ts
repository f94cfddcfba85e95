import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ApprovalsConnectionError, type BodyOf } from "countersign/client";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

export type DecisionBody = BodyOf<"decide">;

/** The number of automatic retries if no response arrives. */
const retries = 2;

/** Decides one approval. If the response is lost, the same decision is sent again, which changes nothing. */
export function useDecide(id: string) {
  const { api, link, onDecided } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: DecisionBody) => api.decide({ id, body }),
    retry: (count, error) => error instanceof ApprovalsConnectionError && count < retries,
    retryDelay: (attempt) => 400 * 2 ** attempt,
    networkMode: "always",
    onSuccess: (approval) => {
      putApproval(client, approval);
      onDecided(approval);
    },
    onSettled: (_approval, error) => {
      if (error) void client.invalidateQueries({ queryKey: keys.approval(id) });
      void client.invalidateQueries({ queryKey: keys.audit(id) });
      // Live updates keep the list current, and reloading a long one is expensive.
      if (link.get() !== "live") void client.invalidateQueries({ queryKey: keys.lists });
      void client.invalidateQueries({ queryKey: keys.counts });
      void client.invalidateQueries({ queryKey: keys.recent });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
}
