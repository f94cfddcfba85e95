import { storableText } from "@countersign/policy/internal/shared/storable-text";
import type { Approval } from "../../approval/approval.js";
import type { Delegator } from "../../evidence/evidence-claims.js";
import { saltedHash } from "../../evidence/salted-hash.js";
import { actedAs } from "../audit/audit.js";
import type { ProvenDecision } from "../evidence/evidence.js";
import type { DecideInput } from "../ports/approval-port.js";

/** A person's decision after all checks. */
export interface Deciding {
  input: DecideInput;
  onBehalfOf: Delegator | null;
  /** Names the deciding vote, if several people decide. */
  voteId: string | undefined;
}

/** What the evidence of the decision says. */
export function madeBy({ input, onBehalfOf }: Deciding): ProvenDecision {
  const { type, principal, reason, responseJson } = input;
  return {
    type,
    principalId: principal.id,
    roles: principal.roles,
    onBehalfOf,
    grantId: null,
    origin: "runtime-ui-confirm",
    via: principal.authenticatedBy === undefined ? null : storableText(principal.authenticatedBy),
    reason,
    responseJson: responseJson ?? null,
  };
}

/** The data of the decision's audit entry, besides its evidence. Texts of a person are in it as salted hashes only. */
export function entryOf(
  { input, onBehalfOf, voteId }: Deciding,
  approval: Pick<Approval, "nonce">,
): Record<string, unknown> {
  const { reason, responseJson } = input;
  return {
    digest: input.digest,
    ...(reason === null ? {} : { reasonHash: saltedHash(approval, reason) }),
    ...(responseJson === undefined ? {} : { responseHash: saltedHash(approval, responseJson) }),
    ...actedAs(input.principal),
    ...(input.edited ? { editedDigest: input.edited.digest } : {}),
    ...(onBehalfOf === null ? {} : { onBehalfOf: onBehalfOf.id }),
    ...(voteId === undefined ? {} : { voteId }),
  };
}
