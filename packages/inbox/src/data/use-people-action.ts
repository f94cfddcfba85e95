import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Approval } from "../api/approval.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";
import { putApproval } from "./use-approval.js";

export type PeopleAction =
  | { path: "assign"; body: { to: string | null } }
  | { path: "extend"; body: { by: string } }
  | { path: "resolution"; body: { outcome: "done" | "failed" | "rerun"; note?: string } };

/** Passes an approval on, gives it more time, or says what became of one that was cut off. */
export function usePeopleAction(id: string) {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ path, body }: PeopleAction) =>
      api.send<Approval>("POST", `/approvals/${encodeURIComponent(id)}/${path}`, body),
    onSuccess: (approval) => {
      putApproval(client, approval);
      void client.invalidateQueries({ queryKey: keys.interrupted });
      void client.invalidateQueries({ queryKey: keys.audit(id) });
    },
  });
}
