import type { ProvenDecision } from "../evidence/evidence.js";
import type { UsedGrant } from "../grant/use-grant.js";
import type { ProposedCall } from "../ports/request-port.js";
import type { Admission } from "./proposal-limits.js";

/** The status of a new call by verdict: some are pending, the policy has decided the others. */
const decidedByPolicy = {
  ask: { status: "proposed", auditType: "approval.proposed", decisionType: undefined },
  manual: { status: "proposed", auditType: "approval.proposed", decisionType: undefined },
  notify: { status: "approved", auditType: "approval.notified", decisionType: "approve" },
  deny: { status: "denied", auditType: "approval.denied_by_policy", decisionType: "deny" },
} as const;

/** Stands in the place of a person's reason. */
const grantedReason = "Approved by a grant";

/** A grant approves under the contract that its grantor has reviewed. */
export function grantedDecision({ id, grantedBy, grantedRoles }: UsedGrant): ProvenDecision {
  return {
    type: "approve",
    principalId: grantedBy,
    roles: grantedRoles,
    onBehalfOf: null,
    grantId: id,
    origin: "operator-contract-review",
    via: null,
    reason: grantedReason,
    responseJson: null,
  };
}

/** The first status of a new call, and its audit entry. */
export function beginning({ verdict, reason }: ProposedCall, admission: Admission) {
  if (admission.kind === "granted") {
    const { id: grantId, grantedBy, grantedRoles, amount } = admission.grant;
    return {
      set: {
        status: "approved" as const,
        decisionType: "approve" as const,
        decidedBy: grantedBy,
        decidedRoles: grantedRoles,
        decisionReason: grantedReason,
        grantId,
        grantAmount: amount === null ? null : String(amount),
      },
      auditType: "approval.granted" as const,
      actorId: grantedBy,
      data: { grantId, ...(amount === null ? {} : { amount }) },
    };
  }
  if (admission.kind === "refused") {
    const { cause, duplicateOf } = admission;
    return {
      set: { status: "withdrawn" as const, withdrawalCause: cause, duplicateOf },
      auditType: "approval.withdrawn" as const,
      data: { cause, ...(duplicateOf === null ? {} : { duplicateOf }) },
    };
  }
  const { status, auditType, decisionType } = decidedByPolicy[verdict];
  const decided = decisionType ? { decisionType, decisionReason: reason } : {};
  const { overBudget = null } = admission;
  return { set: { status, ...decided, overBudget }, auditType };
}
