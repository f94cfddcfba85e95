import type { Approval, Vote } from "../approval/approval.js";
import type { approvals } from "./schema.js";

/** The approval that a row holds, with the votes that belong to it. */
export function approvalFromRow(row: typeof approvals.$inferSelect, votes: readonly Vote[] = []): Approval {
  const {
    approverRoles,
    approverIds,
    decisionType,
    decidedBy,
    decisionReason,
    decidedAt,
    editedInputJson,
    editedDigest,
    ...rest
  } = row;
  return {
    ...rest,
    approvers: { roles: approverRoles, ids: approverIds },
    edited:
      editedInputJson !== null && editedDigest !== null
        ? { inputJson: editedInputJson, digest: editedDigest }
        : null,
    votes: [...votes],
    decision:
      decisionType && decidedAt ? { type: decisionType, decidedBy, reason: decisionReason, decidedAt } : null,
  };
}
