import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { checkHashes } from "../../logic/audit/entry-hashes.js";
import { type Inbox, useInbox } from "../inbox/inbox-context.js";
import { keys } from "../inbox/query-keys.js";

function auditQuery({ api }: Inbox, approvalId: string) {
  return queryOptions({
    queryKey: keys.audit(approvalId),
    queryFn: async ({ signal }) => {
      const { items } = await api.listApprovalAudit({ id: approvalId, query: { limit: 200 }, signal });
      return { items, hashCheck: await checkHashes(items) };
    },
  });
}

/** The audit trail of one approval, oldest entry first, with its hashes recomputed. */
export function useAudit(approvalId: string) {
  return useQuery(auditQuery(useInbox(), approvalId));
}

/** Prints the page once the audit trail of the open approval is loaded. */
export function usePrintWithTrail(approvalId: string): () => Promise<void> {
  const inbox = useInbox();
  const client = useQueryClient();
  return useCallback(async () => {
    await client.prefetchQuery(auditQuery(inbox, approvalId));
    window.print();
  }, [inbox, client, approvalId]);
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
