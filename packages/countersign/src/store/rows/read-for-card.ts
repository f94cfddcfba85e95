import { and, eq, max } from "drizzle-orm";
import type { Session } from "../database.js";
import type { ReadForCard } from "../ports/delivery-port.js";
import { auditEntries } from "../schema.js";
import { knownNames } from "./known-names.js";
import { readApproval } from "./read-approval.js";

/** The approval with the position of its newest audit entry, which grows with every change. */
export async function readForCard(
  session: Session,
  tenantId: string,
  approvalId: string,
): Promise<ReadForCard | undefined> {
  // Read first, so that the version is never newer than the row.
  const [newest] = await session.db
    .select({ position: max(auditEntries.position) })
    .from(auditEntries)
    .where(and(eq(auditEntries.tenantId, tenantId), eq(auditEntries.approvalId, approvalId)));
  const approval = await readApproval(session, tenantId, approvalId);
  if (!approval) return undefined;
  const names = await knownNames(session, tenantId, approvalId);
  return { approval, version: newest?.position ?? 0, names };
}
