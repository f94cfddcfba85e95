import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

/** Asks for the undo of one call. It is not sent again by itself: a second request could begin a second attempt. */
export function useAskForUndo(id: string) {
  const { api, link } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BodyOf<"undo">) => api.undo({ id, body }),
    networkMode: "always",
    onSuccess: (undo) => {
      putApproval(client, undo);
      client.setQueryData<Approval>(keys.approval(id), (call) =>
        call?.undo ? { ...call, undo: { ...call.undo, undoId: undo.id } } : call,
      );
    },
    onSettled: () => {
      void client.invalidateQueries({ queryKey: keys.approval(id) });
      void client.invalidateQueries({ queryKey: keys.audit(id) });
      if (link.get() !== "live") void client.invalidateQueries({ queryKey: keys.lists });
      void client.invalidateQueries({ queryKey: keys.recent });
      void client.invalidateQueries({ queryKey: keys.allHistory });
    },
  });
}
