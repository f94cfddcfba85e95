import { useQuery } from "@tanstack/react-query";
import type { AuditEntry } from "../api/approval.js";
import { checkSeal } from "../logic/audit-seal.js";
import { useInbox } from "./inbox-context.js";
import { keys } from "./query-keys.js";

/** Everything that happened to one approval, oldest first, with the seal over it computed again. */
export function useAudit(approvalId: string) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.audit(approvalId),
    queryFn: async ({ signal }) => {
      const { items } = await api.get<{ items: AuditEntry[] }>(
        `/approvals/${encodeURIComponent(approvalId)}/audit`,
        { limit: 200 },
        signal,
      );
      return { items, seal: await checkSeal(items) };
    },
  });
}

type ChainCheck = { ok: true; entries: number } | { ok: false; position: number; message: string };

/** Whether the tenant's whole log is what was written; only auditors may ask. */
export function useChain(enabled: boolean) {
  const { api } = useInbox();
  return useQuery({
    queryKey: keys.chain,
    enabled,
    retry: false,
    queryFn: ({ signal }) => api.get<ChainCheck>("/audit/verify", {}, signal),
  });
}
