import { and, eq, sql } from "drizzle-orm";
import { maxExtensionMs, minExtensionMs } from "../../approval/extension.js";
import { mustLeaveToOthers } from "../../approval/who-decides.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Transaction } from "../database.js";
import type { ExtendInput, ExtendResult } from "../ports/approval-port.js";
import { expiredFirst, lockPending } from "../request/locked-approval.js";
import { hasStatus } from "../rows/has-status.js";
import { withPeople } from "../rows/read-approval.js";
import { approvals } from "../schema.js";

/**
 * Extends the time to decide. The waiting run needs no event: when its wait times out, it reads the database and waits
 * again.
 */
export async function extend(session: Transaction, input: ExtendInput): Promise<ExtendResult> {
  const { principal } = input;
  const byMs = Math.round(input.byMs);
  const found = await lockPending(session, principal, input.approvalId);
  if (found.outcome !== "found") return found;
  const { request, approval } = found;
  if (mustLeaveToOthers(approval, principal.id)) return { outcome: "self_approval", approval };
  const inRange = byMs >= minExtensionMs && byMs <= maxExtensionMs(approval);
  if (!inRange) return { outcome: "invalid_extension", approval };
  const open = and(
    eq(approvals.id, approval.id),
    hasStatus("pending"),
    sql`${approvals.expiresAt} > ${session.now}`,
  );
  const [row] = await session.db
    .update(approvals)
    .set({
      expiresAt: sql`${approvals.expiresAt} + ${byMs} * interval '1 millisecond'`,
      extensionsUsed: sql`${approvals.extensionsUsed} + 1`,
    })
    .where(and(open, sql`${approvals.extensionsUsed} < ${approval.terms.extensions}`))
    .returning();
  if (!row) {
    const [stillOpen] = await session.db.select({ id: approvals.id }).from(approvals).where(open);
    return stillOpen ? { outcome: "no_extension_left", approval } : expiredFirst(session, request, approval);
  }
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: "approval.extended",
    notify: row.notify,
    actorId: principal.id,
    data: { byMs, expiresAt: row.expiresAt?.toISOString() ?? null, ...actedAs(principal) },
  });
  const [extended] = await withPeople(session, [row]);
  return { outcome: "extended", approval: extended ?? approval };
}
