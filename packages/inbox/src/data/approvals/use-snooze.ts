import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { useOpenNext } from "../inbox/use-open-next.js";
import { putApproval } from "./use-approval.js";

/** Puts a call aside for the reader until a time, and opens the next one, as after a decision. */
export function useSnooze(id: string) {
  const { api } = useInbox();
  const client = useQueryClient();
  const openNext = useOpenNext();
  return useMutation({
    mutationFn: (until: string) => api.snooze({ id, body: { until } }),
    onSuccess: (approval) => {
      // Before the call leaves the list, which says what is next.
      openNext(approval);
      putApproval(client, approval);
    },
    onSettled: (_approval, error) => {
      if (error) void client.invalidateQueries({ queryKey: keys.approval(id) });
      // No event reports it: it concerns nobody else.
      void client.invalidateQueries({ queryKey: keys.counts });
      void client.invalidateQueries({ queryKey: keys.allFacets });
    },
  });
}
