import type { Approval } from "../approval/approval.js";
import type { approvals } from "./schema.js";

/** The approval that a row holds. */
export function approvalFromRow(row: typeof approvals.$inferSelect): Approval {
  const { approverRoles, approverIds, decisionType, decidedBy, decisionReason, decidedAt, ...rest } = row;
  return {
    ...rest,
    approvers: { roles: approverRoles, ids: approverIds },
    decision:
      decisionType && decidedAt ? { type: decisionType, decidedBy, reason: decisionReason, decidedAt } : null,
  };
}
