/** Every state of an approval, in the order of its life; `followers` says which may follow which. */
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
 * Which state may follow which. The store's conditional updates are written from this table, so a transition
 * that is not listed cannot happen, and a state without followers is terminal.
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

/** The states from which `to` can be reached: the `WHERE status IN (…)` of its update. */
export function statusesBefore(to: ApprovalStatus): ApprovalStatus[] {
  return approvalStatuses.filter((from) => followers[from].includes(to));
}

/** True while a person's answer is still awaited. */
export function isOpen(status: ApprovalStatus): boolean {
  return status === "proposed" || status === "pending";
}
