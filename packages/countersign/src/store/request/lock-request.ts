import { and, eq } from "drizzle-orm";
import type { Session } from "../database.js";
import { approvals, requests } from "../schema.js";

export type LockedRequest = typeof requests.$inferSelect;

/**
 * Locks the request's row. It serialises decisions about calls of one request: two that commit at once would otherwise
 * each see the other's call still open, and neither would wake the run.
 */
export async function lockRequest({ db }: Session, requestId: string): Promise<LockedRequest | undefined> {
  const [row] = await db.select().from(requests).where(eq(requests.id, requestId)).for("update");
  return row;
}

/** The same for the request of a tenant's approval, which never changes. */
export async function lockRequestOf(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<LockedRequest | undefined> {
  const its = db
    .select({ id: approvals.requestId })
    .from(approvals)
    .where(and(eq(approvals.id, approvalId), eq(approvals.tenantId, tenantId)));
  const [row] = await db.select().from(requests).where(eq(requests.id, its)).for("update");
  return row;
}
