import { useQuery } from "@tanstack/react-query";
import { checkHashes } from "../../logic/audit/entry-hashes.js";
import { useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

/** The audit trail of one approval, oldest entry first, with its hashes recomputed. */
export function useAudit(approvalId: string) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.audit(approvalId),
    queryFn: async ({ signal }) => {
      const { items } = await api.listApprovalAudit({ id: approvalId, query: { limit: 200 }, signal });
      return { items, hashCheck: await checkHashes(items) };
    },
  });
}

/** Verifies the tenant's whole audit log. Auditors only. */
export function useChain(enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.chain,
    enabled,
    retry: false,
    queryFn: ({ signal }) => api.verifyAudit({ signal }),
  });
}
