import { and, eq } from "drizzle-orm";
import { builtOnce, type ValueOf } from "../built-once.js";
import type { Session } from "../database.js";
import { approvals, requests } from "../schema.js";

export type LockedRequest = typeof requests.$inferSelect;

/**
 * Locks the row of an approval's request, which never changes. It serialises decisions about calls of one request: two that
 * commit at once would otherwise each see the other's call still open, and neither would wake the run.
 */
export async function lockRequestOf(
  session: Session,
  tenantId: string,
  approvalId: string,
): Promise<LockedRequest | undefined> {
  const [row] = await byApproval(session, { tenantId, approvalId });
  return row;
}

const byApproval = builtOnce(({ db }, value: ValueOf<"tenantId" | "approvalId">) => {
  const its = db
    .select({ id: approvals.requestId })
    .from(approvals)
    .where(and(eq(approvals.id, value("approvalId")), eq(approvals.tenantId, value("tenantId"))));
  return db.select().from(requests).where(eq(requests.id, its)).for("update");
});
