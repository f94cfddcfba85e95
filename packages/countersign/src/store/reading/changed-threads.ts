import { and, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { Session } from "../database.js";
import type { ChangedThreads } from "../ports/reading-port.js";
import { approvals, auditEntries } from "../schema.js";

export async function threadsChangedSince(
  { db }: Session,
  tenantId: string,
  after: number,
): Promise<ChangedThreads> {
  const rows = await db
    .select({
      threadId: approvals.threadId,
      position: sql<number>`max(${auditEntries.position})`.mapWith(Number),
    })
    .from(auditEntries)
    .leftJoin(
      approvals,
      and(
        eq(approvals.tenantId, auditEntries.tenantId),
        eq(approvals.id, auditEntries.approvalId),
        isNotNull(approvals.threadId),
      ),
    )
    .where(and(eq(auditEntries.tenantId, tenantId), gt(auditEntries.position, after)))
    .groupBy(approvals.threadId);
  return {
    threadIds: rows.flatMap(({ threadId }) => threadId ?? []),
    position: Math.max(after, ...rows.map(({ position }) => position)),
  };
}
