import type { CallRow } from "../call-seen.js";
import type { RequestDraft } from "../request-seen.js";
import { approvalFromRow } from "../rows/approval-row.js";

/**
 * Milliseconds until the next reminder or escalation of an open call, or until the timeout, whichever comes first. A decision
 * that is held comes before them all.
 */
export function msToNextStep({ heldUntil, expiresAt, ...row }: CallRow, now: Date): number {
  if (heldUntil) return heldUntil.getTime() - now.getTime();
  const msOpen = openFor(row, now);
  const { escalation } = approvalFromRow({ ...row, heldUntil, expiresAt }).terms;
  const ahead = escalation.map(({ afterMs }) => afterMs - msOpen).filter((ms) => ms > 0);
  return Math.min(expiresAt ? expiresAt.getTime() - now.getTime() : 0, ...ahead);
}

/** Applies reminders and escalations that are due. An escalation lets further roles decide; a reminder is only recorded. */
export function applyEscalation({ calls, now, audited }: RequestDraft): void {
  for (const call of calls) {
    const {
      status,
      held,
      terms,
      escalationSteps,
      tenantId,
      id: approvalId,
      notify,
    } = approvalFromRow(call.row);
    if (status !== "pending" || held) continue;
    const due = terms.escalation.filter(({ afterMs }) => afterMs <= openFor(call.row, now)).length;
    for (let step = escalationSteps; step < due; step++) {
      const roles = terms.escalation[step]?.escalateTo ?? [];
      call.change({ escalationSteps: step + 1, approverRoles: withRoles(call.row, roles) });
      audited.push({
        ...{ tenantId, approvalId, notify },
        type: roles.length > 0 ? "approval.escalated" : "approval.reminded",
        data: { step, ...(roles.length > 0 ? { roles } : {}) },
      });
    }
  }
}

/** If no approvers are named, everybody may decide; naming some would exclude the others. */
function withRoles({ approverRoles, approverIds }: CallRow, more: readonly string[]): string[] {
  if (approverRoles.length + approverIds.length === 0 || more.length === 0) return approverRoles;
  return [...new Set([...approverRoles, ...more])].sort();
}

function openFor({ announcedAt }: Pick<CallRow, "announcedAt">, now: Date): number {
  return announcedAt ? now.getTime() - announcedAt.getTime() : 0;
}
