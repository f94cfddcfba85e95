import { and, eq, isNull, sql } from "drizzle-orm";
import { audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";
import { endHolds } from "./end-holds.js";

/**
 * `pending → expired` for the overdue calls of one request. A decision that is held was in time, so first those take effect
 * whose time is over. Needs the lock of the request.
 */
export async function expireOverdue(session: Transaction, requestId: string): Promise<number> {
  await endHolds(session, requestId);
  const { db, now } = session;
  const expired = await db
    .update(approvals)
    .set({ status: "expired", finishedAt: now })
    .where(
      and(
        eq(approvals.requestId, requestId),
        hasStatus("pending"),
        isNull(approvals.heldUntil),
        sql`${approvals.expiresAt} <= ${now}`,
      ),
    )
    .returning({ approvalId: approvals.id, tenantId: approvals.tenantId, notify: approvals.notify });
  for (const row of expired) audit(session, { ...row, type: "approval.expired" });
  return expired.length;
}
