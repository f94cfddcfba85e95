import type { Approval, Viewer, Vote } from "../approval/approval.js";
import { plainTerms } from "../approval/plain-terms.js";
import type { approvals } from "./schema.js";

/** The approval that a row holds, with the votes that belong to it. */
export function approvalFromRow(
  row: typeof approvals.$inferSelect,
  { votes = [], viewers = [] }: { votes?: readonly Vote[]; viewers?: readonly Viewer[] } = {},
): Approval {
  const {
    approverRoles,
    approverIds,
    decisionType,
    decidedBy,
    decisionReason,
    decidedAt,
    editedInputJson,
    editedDigest,
    resolutionOutcome,
    resolvedBy,
    resolutionNote,
    resolvedAt,
    ...rest
  } = row;
  return {
    ...rest,
    // A row of an earlier version says nothing about what came later.
    terms: { ...plainTerms, ...row.terms },
    approvers: { roles: approverRoles, ids: approverIds },
    edited:
      editedInputJson !== null && editedDigest !== null
        ? { inputJson: editedInputJson, digest: editedDigest }
        : null,
    votes: [...votes],
    viewers: [...viewers],
    resolution:
      resolutionOutcome && resolvedBy && resolvedAt
        ? { outcome: resolutionOutcome, resolvedBy, note: resolutionNote, resolvedAt }
        : null,
    decision:
      decisionType && decidedAt ? { type: decisionType, decidedBy, reason: decisionReason, decidedAt } : null,
  };
}
