import { and, eq, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";

/** `pending → expired` for the overdue calls of one request. */
export async function expireOverdue(session: Transaction, requestId: string): Promise<number> {
  const { db, now } = session;
  const expired = await db
    .update(approvals)
    .set({ status: "expired", finishedAt: now })
    .where(
      and(eq(approvals.requestId, requestId), hasStatus("pending"), sql`${approvals.expiresAt} <= ${now}`),
    )
    .returning({ approvalId: approvals.id, tenantId: approvals.tenantId, notify: approvals.notify });
  for (const row of expired) audit(session, { ...row, type: "approval.expired" });
  return expired.length;
}
