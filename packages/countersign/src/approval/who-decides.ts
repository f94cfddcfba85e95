import type { Principal } from "../principal.js";
import type { Approval } from "./approval.js";

/** True when the rule itself names this principal, by id or role, or names nobody. */
export function isNamed({ approvers: { roles, ids } }: Approval, principal: Principal): boolean {
  if (roles.length === 0 && ids.length === 0) return true;
  return ids.includes(principal.id) || principal.roles.some((role) => roles.includes(role));
}

/** True when this principal may decide: the rule names them, or somebody whom it names let them. */
export function mayDecide(approval: Approval, principal: Principal): boolean {
  if (approval.tenantId !== principal.tenantId) return false;
  const delegate = approval.terms.delegable && approval.assigneeId === principal.id;
  return delegate || isNamed(approval, principal);
}

/** True when this principal may know of the approval: they may decide it, or they asked for it. */
export function maySee(approval: Approval, principal: Principal): boolean {
  return (
    approval.tenantId === principal.tenantId &&
    (mayDecide(approval, principal) || approval.requesterId === principal.id)
  );
}
