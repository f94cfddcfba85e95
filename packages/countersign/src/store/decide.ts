import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import type { Principal } from "../principal.js";
import { approvalFromRow } from "./approval-row.js";
import { audit } from "./audit.js";
import type { Session } from "./database.js";
import { expireOverdue, lockRequest, wakeUpIfComplete } from "./request.js";
import { approvals } from "./schema.js";
import type { DecideInput, DecideResult } from "./store.js";

const statusAfter = { approve: "approved", deny: "denied", respond: "responded" } as const;

/** True when the rule lets this principal decide. */
export function mayDecide(approval: Approval, principal: Principal): boolean {
  const { roles, ids } = approval.approvers;
  if (approval.tenantId !== principal.tenantId) return false;
  if (roles.length === 0 && ids.length === 0) return true;
  return ids.includes(principal.id) || principal.roles.some((role) => roles.includes(role));
}

/** True when this principal may know of the approval: they may decide it, or they asked for it. */
export function maySee(approval: Approval, principal: Principal): boolean {
  return (
    approval.tenantId === principal.tenantId &&
    (mayDecide(approval, principal) || approval.requesterId === principal.id)
  );
}

/** One person's decision: authorisation, compare-and-swap, audit entry and outbox row together. */
export async function decide(session: Session, input: DecideInput): Promise<DecideResult> {
  const { principal } = input;
  const seen = await readApproval(session, principal.tenantId, input.approvalId);
  if (!seen || !maySee(seen, principal)) return { outcome: "not_found" };
  const request = await lockRequest(session, seen.requestId);
  const approval = await readApproval(session, principal.tenantId, input.approvalId);
  if (!approval || !request) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status === "proposed") return { outcome: "not_open", approval };
  if (approval.status === "expired") return { outcome: "expired", approval, wakeUp: undefined };
  if (approval.status !== "pending") {
    const outcome = isSameDecision(approval, input) ? "repeated" : "lost";
    return { outcome, approval, wakeUp: undefined };
  }
  if (approval.digest !== input.digest) return { outcome: "digest_mismatch", approval };
  if (!approval.terms.decisions.includes(input.type)) return { outcome: "not_allowed", approval };
  const own = approval.requesterId === principal.id;
  if (own && input.type !== "deny" && approval.terms.requesterMayNotApprove) {
    return { outcome: "self_approval", approval };
  }

  const { db, now } = session;
  const [row] = await db
    .update(approvals)
    .set({
      status: statusAfter[input.type],
      responseJson: input.responseJson ?? null,
      decisionType: input.type,
      decidedBy: principal.id,
      decisionReason: input.reason,
      decidedAt: now,
    })
    .where(
      and(
        eq(approvals.id, input.approvalId),
        eq(approvals.tenantId, principal.tenantId),
        eq(approvals.status, "pending"),
        eq(approvals.digest, input.digest),
        sql`${approvals.expiresAt} > ${now}`,
      ),
    )
    .returning();
  if (!row) {
    await expireOverdue(session, approval.requestId);
    const wakeUp = await wakeUpIfComplete(session, request);
    return { outcome: "expired", approval: { ...approval, status: "expired" }, wakeUp };
  }
  await audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: `approval.${statusAfter[input.type]}`,
    actorId: principal.id,
    data: { digest: row.digest, roles: principal.roles },
  });
  const wakeUp = await wakeUpIfComplete(session, request);
  return { outcome: "decided", approval: approvalFromRow(row), wakeUp };
}

/** Repeating one's own decision, word for word, is a no-op: a client whose answer got lost may ask again. */
function isSameDecision(approval: Approval, input: DecideInput): boolean {
  const { decision } = approval;
  return (
    decision !== null &&
    decision.decidedBy === input.principal.id &&
    decision.type === input.type &&
    decision.reason === input.reason &&
    approval.responseJson === (input.responseJson ?? null) &&
    approval.digest === input.digest
  );
}

export async function readApproval(
  { db }: Session,
  tenantId: string,
  approvalId: string,
): Promise<Approval | undefined> {
  const [row] = await db
    .select()
    .from(approvals)
    .where(and(eq(approvals.id, approvalId), eq(approvals.tenantId, tenantId)));
  return row && approvalFromRow(row);
}

export async function readResponse({ db }: Session, approvalId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ responseJson: approvals.responseJson })
    .from(approvals)
    .where(and(eq(approvals.id, approvalId), eq(approvals.status, "responded")));
  return row?.responseJson ?? undefined;
}
