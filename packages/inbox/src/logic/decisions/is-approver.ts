import type { Approval } from "../../api/approval.js";
import type { Me } from "../../api/records.js";

/** Whether the reader is one of the approvers, whatever the approval's status. */
export function isApprover(
  approval: Approval,
  me: Pick<NonNullable<Me["principal"]>, "id" | "roles"> | null | undefined,
): boolean {
  const { roles, ids } = approval.approvers;
  if (roles.length === 0 && ids.length === 0) return true;
  if (!me) return approval.mayDecide;
  return (
    ids.includes(me.id) ||
    me.roles.some((role) => roles.includes(role)) ||
    (approval.delegable === true && approval.assigneeId === me.id)
  );
}
