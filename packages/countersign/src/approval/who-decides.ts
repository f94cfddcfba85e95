import { type Principal, personKey } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "./approval.js";

/** Whether the rule names this person by id or role, or names nobody. */
export function isNamed(
  { approvers: { roles, ids } }: { approvers: { roles: readonly string[]; ids: readonly string[] } },
  person: { id: string; roles: readonly string[] },
): boolean {
  if (roles.length === 0 && ids.length === 0) return true;
  return ids.includes(person.id) || person.roles.some((role) => roles.includes(role));
}

/** Whether this principal may decide: the rule names them, or an approver delegated to them. */
export function mayDecide(approval: Approval, principal: Principal): boolean {
  if (approval.tenantId !== principal.tenantId) return false;
  const delegate = approval.terms.delegable && approval.assigneeId === principal.id;
  return delegate || isNamed(approval, principal);
}

/** Whether this principal may see the approval: they may decide it, requested it, or asked for it as an undo. */
export function maySee(approval: Approval, principal: Principal): boolean {
  return (
    approval.tenantId === principal.tenantId &&
    (mayDecide(approval, principal) ||
      approval.requesterId === principal.id ||
      approval.terms.undoes?.askedBy === principal.id)
  );
}

/** True if this person asked for the call and its rule wants somebody else to approve it. They may still deny it. */
export function mustLeaveToOthers(
  call: Pick<Approval, "requesterId"> & { terms: Pick<Approval["terms"], "requesterMayNotApprove"> },
  personId: string | null,
): boolean {
  const { requesterId } = call;
  if (!call.terms.requesterMayNotApprove || requesterId === null || personId === null) return false;
  return personKey(requesterId) === personKey(personId);
}
