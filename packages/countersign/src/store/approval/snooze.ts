import { and, eq, gt, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { listsOf } from "../../approval/lists-of.js";
import { minTimeAfterSnoozeMs } from "../../approval/snooze.js";
import { maySee } from "../../approval/who-decides.js";
import type { Transaction } from "../database.js";
import type { SnoozeInput, SnoozeResult } from "../ports/approval-port.js";
import { expiredFirst, lockPending } from "../request/locked-approval.js";
import { readApproval } from "../rows/read-approval.js";
import { approvals, snoozes } from "../schema.js";

/**
 * Puts a call aside for one person, at most until shortly before its deadline. It then is not in their list of calls to decide. It
 * is not a decision, so it is not in the audit log, and nobody else is notified.
 */
export async function snooze(session: Transaction, input: SnoozeInput): Promise<SnoozeResult> {
  const { approvalId, principal, until } = input;
  if (until === null) return endSnooze(session, input);
  const found = await lockPending(session, principal, approvalId);
  if (found.outcome !== "found") return found;
  const { request, approval } = found;
  if (!listsOf(approval, principal).includes("for_you")) return { outcome: "forbidden", approval };
  const at = sql`${until.toISOString()}::timestamptz`;
  const time = {
    isLeft: sql<boolean>`${approvals.expiresAt} > ${session.now}`,
    isInRange: sql<boolean>`${at} > ${session.now}
      and ${at} <= ${approvals.expiresAt} - ${minTimeAfterSnoozeMs} * interval '1 millisecond'`,
  };
  // The request is locked, so nothing can change the deadline before the end of the transaction.
  const [compared] = await session.db
    .select(time)
    .from(approvals)
    .where(and(eq(approvals.id, approvalId), eq(approvals.tenantId, principal.tenantId)));
  if (!compared?.isLeft) return expiredFirst(session, request, approval);
  if (!compared.isInRange) return { outcome: "invalid_snooze", approval };
  await session.db
    .insert(snoozes)
    .values({ approvalId, tenantId: approval.tenantId, principalId: principal.id, until })
    .onConflictDoUpdate({ target: [snoozes.approvalId, snoozes.principalId], set: { until } });
  return {
    outcome: "snoozed",
    approval: (await readApproval(session, approval.tenantId, approvalId)) ?? approval,
  };
}

/** Lets the call come back to the person. Ending it again, or after the decision, changes nothing. */
async function endSnooze(
  session: Transaction,
  { approvalId, principal }: SnoozeInput,
): Promise<SnoozeResult> {
  const { tenantId, id } = principal;
  const approval = await readApproval(session, tenantId, approvalId);
  if (!approval || !maySee(approval, principal)) return { outcome: "not_found" };
  endSnoozes(session, approval, id);
  return { outcome: "snoozed", approval: (await readApproval(session, tenantId, approvalId)) ?? approval };
}

/** Lets a call come back to one person, or to all who have put it aside. The rows stay: applications may not delete them. */
export function endSnoozes(
  { db, now, send }: Transaction,
  { id, tenantId }: Pick<Approval, "id" | "tenantId">,
  principalId?: string,
): void {
  const isOne = principalId === undefined ? undefined : eq(snoozes.principalId, principalId);
  const ending = db
    .update(snoozes)
    .set({ until: now })
    .where(and(eq(snoozes.approvalId, id), eq(snoozes.tenantId, tenantId), gt(snoozes.until, now), isOne));
  send(ending.execute());
}
