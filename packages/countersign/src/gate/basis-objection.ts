import type { Approval } from "../approval/approval.js";
import { type ApprovalBasis, type ApprovingTerms, satisfies } from "../approval/approval-basis.js";
import type { Proposed } from "../approval/proposed.js";
import { signingKeyMissing } from "../evidence/signing-key-missing.js";
import type { Objection } from "../store/ports/approval-port.js";
import type { GateRuntime } from "./gate.js";

/** The people or the grant behind an approval, and the facts about the call that the run itself knows. */
export interface BasisFacts {
  /** `undefined` if the evidence is invalid, which the caller reports. */
  basis: ApprovalBasis | undefined;
  proposed: Proposed;
  requesterId: string | null;
  /** The approvers that the current policy requires; `undefined` if it allows the call without approval. */
  now: ApprovingTerms | undefined;
}

/**
 * Returns why the people or the grant behind an approval do not satisfy the terms at proposal or the current ones;
 * `undefined` if they satisfy both.
 *
 * @throws CountersignError `signing_key_missing` if decisions are signed and this process cannot verify them.
 */
export function basisObjection(
  { signer }: Pick<GateRuntime, "signer">,
  approval: Approval,
  { basis, proposed, requesterId, now }: BasisFacts,
): Objection | undefined {
  if (proposed.signed && !signer) throw signingKeyMissing(approval.id);
  if (!basis) return undefined;
  const call = { requesterId, proposedAt: proposed.at };
  if (signer && !satisfies(proposedTerms(approval), basis, call)) {
    return { cause: "evidence_invalid", field: "approvers" };
  }
  return now && !satisfies(now, basis, call) ? { cause: "policy_changed" } : undefined;
}

/** The approvers that the policy required when the call was proposed. */
export function proposedTerms({ terms, proposedRoles, approvers }: Approval): ApprovingTerms {
  return { ...terms, approvers: { roles: proposedRoles, ids: approvers.ids } };
}
