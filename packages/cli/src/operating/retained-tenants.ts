import type { Transaction } from "countersign/internal/maintenance";
import { auditHeads, threads } from "countersign/schema";

/** Every tenant that can have something to delete: the log has entries about all other records. */
export async function retainedTenants({ db }: Transaction): Promise<string[]> {
  const rows = await db
    .select({ tenantId: auditHeads.tenantId })
    .from(auditHeads)
    .union(db.selectDistinct({ tenantId: threads.tenantId }).from(threads));
  return rows.map(({ tenantId }) => tenantId).sort();
}
