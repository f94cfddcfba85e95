// Tenants of one database whose logs can be sealed.
import { type PruneOptions, prune } from "@countersign/cli/operating";
import { wholeLog } from "../audit-log.js";
import { interceptedRetention } from "../intercepted-store.js";
import type { Store } from "../store.js";
import { executedCall, type Past, signer } from "./past.js";

export const entries = "countersign.audit_entries";
export const segments = "countersign.audit_segments";

/** What has ended is old after half a year, and the log after a year. */
export const years = {
  olderThan: { ...{ requests: "180d", grants: "180d", proofs: "180d" }, audit: "1y" },
};

/** Opens tenants whose log has ten old entries of two calls and five new ones of another. */
export function sealableTenants({ store, daysAgo }: Past) {
  return async (tenantId: string) => {
    for (const days of [900, 800]) await daysAgo(days, () => executedCall(store, { tenantId }));
    await executedCall(store, { tenantId });
    const options = { ...years, tenantId };
    const without = (changes: Parameters<typeof interceptedRetention>[1]) =>
      prune({ store: interceptedRetention(store, changes), signer }, options);
    return {
      tenantId,
      log: () => wholeLog(store, tenantId),
      verify: (anchor?: { position: number; hash: string }) => store.verifyAudit(tenantId, anchor, signer),
      prune: (more: Partial<PruneOptions> = {}, through: Store = store) =>
        prune({ store: through, signer }, { ...options, ...more }),
      /** Removes the rows, and seals nothing. */
      pruneRows: () => without({ sealPart: async () => undefined }),
      /** Removes the rows, and keeps the entries that it seals. */
      sealOnly: () => without({ deleteSealed: async () => 0 }),
    };
  };
}
