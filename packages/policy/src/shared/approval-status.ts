/** All statuses of an approval, in lifecycle order. */
export const approvalStatuses = [
  "proposed",
  "pending",
  "approved",
  "denied",
  "responded",
  "expired",
  "withdrawn",
  "executing",
  "executed",
  "failed",
  "interrupted",
] as const;

export type ApprovalStatus = (typeof approvalStatuses)[number];

/**
 * Allowed transitions. The store derives its conditional updates and its judgements from this table, so an unlisted
 * transition cannot happen. A status without followers is terminal.
 */
const followers: Record<ApprovalStatus, readonly ApprovalStatus[]> = {
  proposed: ["pending", "withdrawn"],
  pending: ["approved", "denied", "responded", "expired", "withdrawn"],
  approved: ["executing", "expired", "withdrawn"],
  executing: ["executed", "failed", "interrupted"],
  denied: [],
  responded: [],
  expired: [],
  withdrawn: [],
  executed: [],
  failed: [],
  interrupted: [],
};

/** The statuses from which `to` can be reached, for the `WHERE status IN` of its update. */
export function statusesBefore(to: ApprovalStatus): ApprovalStatus[] {
  return approvalStatuses.filter((from) => followers[from].includes(to));
}

/** Whether the call has run, or never will. */
export function isOver(status: ApprovalStatus): boolean {
  return followers[status].length === 0;
}

/** Whether the approval still waits for a decision. */
export function isOpen(status: ApprovalStatus): boolean {
  return status === "proposed" || status === "pending";
}
