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
    .select({ position: max(auditEntries.position), now: session.now.mapWith(auditEntries.at) })
    .from(auditEntries)
    .where(and(eq(auditEntries.tenantId, tenantId), eq(auditEntries.approvalId, approvalId)));
  const approval = await readApproval(session, tenantId, approvalId);
  if (!approval) return undefined;
  const { undoId } = approval;
  const undo = undoId === null ? undefined : await readApproval(session, tenantId, undoId);
  const ofUndo = undoId === null ? [] : await knownNames(session, tenantId, undoId);
  const names = new Map([...ofUndo, ...(await knownNames(session, tenantId, approvalId))]);
  const { position, now = new Date() } = newest ?? {};
  return { approval, undo: undo ?? null, version: position ?? 0, now, names };
}
