import { and, asc, eq } from "drizzle-orm";
import type { Session } from "./database.js";
import { auditEntries } from "./schema.js";
import type { AuditEntry } from "./store.js";

/** Adds one entry; in the same transaction as what it tells of. Never holds arguments. */
export async function audit(
  { db, now }: Session,
  entry: {
    tenantId: string;
    approvalId: string | null;
    type: string;
    actorId?: string | null;
    data?: Record<string, unknown>;
  },
): Promise<void> {
  await db.insert(auditEntries).values({
    tenantId: entry.tenantId,
    approvalId: entry.approvalId,
    type: entry.type,
    actorId: entry.actorId ?? null,
    at: now,
    data: entry.data ?? {},
  });
}

/** Everything that happened to one approval, oldest first. */
export async function auditTrail(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<AuditEntry[]> {
  return db
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.tenantId, tenantId), eq(auditEntries.approvalId, approvalId)))
    .orderBy(asc(auditEntries.seq));
}
