import type { Approval, Me } from "../api/approval.js";

/** Whether the rule names the reader as one who decides, whatever has become of the approval since. */
export function isApprover(
  approval: Approval,
  me: Pick<NonNullable<Me["principal"]>, "id" | "roles"> | null | undefined,
): boolean {
  const { roles, ids } = approval.approvers;
  if (roles.length === 0 && ids.length === 0) return true;
  if (!me) return approval.mayDecide !== false;
  return (
    ids.includes(me.id) ||
    me.roles.some((role) => roles.includes(role)) ||
    (approval.delegable === true && approval.assigneeId === me.id)
  );
}
