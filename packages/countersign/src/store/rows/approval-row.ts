import type { Approval, HeldDecision, Snooze, Viewer, Vote } from "../../approval/approval.js";
import { allTerms } from "../../approval/default-terms.js";
import { withEscalation } from "../../approval/escalation.js";
import { storedHold } from "../ports/stored-hold.js";
import type { approvals } from "../schema.js";

/** What people have done about a call besides its decision, from other tables. */
interface PeopleOfCall {
  votes: readonly Vote[];
  viewers: readonly Viewer[];
  snoozes: readonly Snooze[];
}

/** The approval in a row, with its votes. */
export function approvalFromRow(
  row: typeof approvals.$inferSelect,
  { votes = [], viewers = [], snoozes = [] }: Partial<PeopleOfCall> = {},
): Approval {
  const {
    callHash: _,
    argumentsHash: __,
    approverRoles: ___,
    grantAmount: ____,
    approverIds,
    decisionType,
    decidedBy,
    decidedRoles,
    decisionReason,
    decidedAt,
    held,
    heldUntil,
    editedInputJson,
    editedDigest,
    resolutionOutcome,
    resolvedBy,
    resolutionNote,
    resolvedAt,
    ...rest
  } = row;
  const terms = allTerms(row.terms);
  return {
    ...rest,
    terms,
    approvers: withEscalation(
      { roles: row.proposedRoles, ids: approverIds },
      terms.escalation.slice(0, row.escalationSteps),
    ),
    edited:
      editedInputJson !== null && editedDigest !== null
        ? { inputJson: editedInputJson, digest: editedDigest }
        : null,
    votes: [...votes],
    viewers: [...viewers],
    snoozes: [...snoozes],
    resolution:
      resolutionOutcome && resolvedBy && resolvedAt
        ? { outcome: resolutionOutcome, resolvedBy, note: resolutionNote, resolvedAt }
        : null,
    held: row.status === "pending" && held && heldUntil ? heldDecision(held, heldUntil) : null,
    decision:
      decisionType && decidedAt
        ? { type: decisionType, decidedBy, roles: decidedRoles, reason: decisionReason, decidedAt }
        : null,
  };
}

/** `null` if somebody else has written something into the row. */
function heldDecision(stored: unknown, until: Date): HeldDecision | null {
  const { data } = storedHold.safeParse(stored);
  if (!data) return null;
  const { evidence: _, ...held } = data;
  return { ...held, decidedAt: new Date(held.decidedAt), until };
}
