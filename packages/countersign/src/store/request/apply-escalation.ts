import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { audit } from "../audit/audit.js";
import { type Transaction, textArray } from "../database.js";
import { hasStatus } from "../rows/has-status.js";
import { approvals } from "../schema.js";

/** An approval in the database's time: how long it has been open, and how long it remains so. */
export interface Timed {
  approval: Approval;
  msOpen: number;
  msLeft: number;
  /** How long its decision is still held; `undefined` without one. */
  msHeld: number | undefined;
}

/**
 * Milliseconds until the next reminder or escalation, or until the timeout, whichever comes first. A decision that is held
 * comes before them all.
 */
export function msToNextStep({ approval, msOpen, msLeft, msHeld }: Timed): number {
  if (msHeld !== undefined) return msHeld;
  const ahead = approval.terms.escalation.map(({ afterMs }) => afterMs - msOpen).filter((ms) => ms > 0);
  return Math.min(msLeft, ...ahead);
}

/**
 * Applies reminders and escalations that are due. An escalation lets further roles decide; a reminder is only recorded.
 * A conditional update applies each one exactly once, even if several processes call this at the same time.
 */
export async function applyEscalation(session: Transaction, timed: readonly Timed[]): Promise<void> {
  for (const { approval, msOpen } of timed) {
    if (approval.status !== "pending" || approval.held) continue;
    const due = approval.terms.escalation.filter(({ afterMs }) => afterMs <= msOpen).length;
    for (let step = approval.escalationSteps; step < due; step++) await applyStep(session, approval, step);
  }
}

async function applyStep(session: Transaction, approval: Approval, step: number): Promise<void> {
  const escalateTo = approval.terms.escalation[step]?.escalateTo ?? [];
  const [row] = await session.db
    .update(approvals)
    .set({
      escalationSteps: step + 1,
      ...(escalateTo.length > 0
        ? {
            // If no approvers are named, everybody may decide; naming some would exclude the others.
            approverRoles: sql`case when cardinality(${approvals.approverRoles}) + cardinality(${approvals.approverIds}) = 0 then ${approvals.approverRoles}
              else array(select distinct unnest(${approvals.approverRoles} || ${textArray(escalateTo)}) order by 1) end`,
          }
        : {}),
    })
    .where(and(eq(approvals.id, approval.id), hasStatus("pending"), eq(approvals.escalationSteps, step)))
    .returning({ id: approvals.id });
  if (!row) return;
  audit(session, {
    tenantId: approval.tenantId,
    approvalId: approval.id,
    type: escalateTo.length > 0 ? "approval.escalated" : "approval.reminded",
    notify: approval.notify,
    data: { step, ...(escalateTo.length > 0 ? { roles: escalateTo } : {}) },
  });
}
