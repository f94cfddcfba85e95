import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { BodyOf } from "countersign/client";
import type { Approval } from "../../api/approval.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";
import { putApproval } from "./use-approval.js";

export type PeopleAction =
  | { assignTo: string | null }
  | { extendBy: string }
  | { resolution: BodyOf<"resolve"> };

/** Assigns or extends an approval, or resolves an interrupted call. */
export function usePeopleAction(id: string) {
  const { api } = useInbox();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: PeopleAction): Promise<Approval> => {
      if ("assignTo" in action) return api.assign({ id, body: { to: action.assignTo } });
      if ("extendBy" in action) return api.extend({ id, body: { by: action.extendBy } });
      return api.resolve({ id, body: action.resolution });
    },
    onSuccess: (approval) => {
      putApproval(client, approval);
      void client.invalidateQueries({ queryKey: keys.counts });
      void client.invalidateQueries({ queryKey: keys.audit(id) });
    },
  });
}
