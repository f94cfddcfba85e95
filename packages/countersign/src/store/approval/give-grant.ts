import { isDeepStrictEqual } from "node:util";
import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../../approval/approval.js";
import { amountOf } from "../../approval/budget.js";
import { mayStandFor, type NewGrant, scopeIdOf } from "../../approval/grant.js";
import { actedAs } from "../audit/audit.js";
import type { DecisionSeen } from "../decision-seen.js";
import type { Sealer } from "../evidence/sealing.js";
import { grantRow } from "../grant/write-grant.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { grants } from "../schema.js";

/** Maximum number of a tenant's live grants. */
const maxLiveGrants = 1000;

/**
 * The grant of a decision. One approval gives at most one grant.
 *
 * @throws CountersignError that undoes the decision: `grant_not_allowed`, `grant_limit`.
 */
export async function giveGrant(
  { request, liveGrants = 0 }: DecisionSeen,
  approval: Approval,
  principal: Principal,
  grant: NewGrant,
  sealer: Sealer | undefined,
): Promise<void> {
  const { tenantId, toolName, toolVersion, terms, verdict } = approval;
  const { scope, inputHash, condition, uses, budget } = grant;
  const scopeId = scopeIdOf(approval, scope);
  // The call may have differed when the grant was made.
  const isForThis =
    (inputHash === null || inputHash === hashCanonical(JSON.parse(approval.inputJson))) &&
    (budget === null || amountOf(approval, budget) !== undefined);
  const allowed =
    isForThis &&
    verdict === "ask" &&
    terms.quorum === 1 &&
    terms.grantable.includes(scope) &&
    mayStandFor(approval, principal);
  if (!allowed || (scope !== "team" && scopeId === null)) {
    throw new CountersignError("grant_not_allowed", "grant: the rule does not allow this grant");
  }
  if (liveGrants >= maxLiveGrants) throw tooManyGrants();
  const id = grantIdOf(approval.id);
  const row = await grantRow(
    request.now,
    approval,
    principal,
    { ...grant, id, scopeId, rerun: false },
    sealer,
  );
  request.also.newGrant = { row: jsonFromRow(grants, row), limit: maxLiveGrants };
  request.audited.push({
    tenantId,
    approvalId: approval.id,
    type: "grant.created",
    actorId: principal.id,
    data: {
      grantId: id,
      scope,
      covers: inputHash !== null ? "exact" : condition !== null ? "condition" : "any",
      toolName,
      toolVersion,
      uses,
      ...(budget && { budget }),
      ...actedAs(principal),
      expiresAt: row.expiresAt.toISOString(),
    },
  });
}

function tooManyGrants(): CountersignError {
  return new CountersignError(
    "grant_limit",
    `grant: ${maxLiveGrants} active grants are the maximum. Revoke some, or approve without a grant`,
    { detail: { limit: maxLiveGrants } },
  );
}

/** True if a repeated decision asks for the grant that the first one gave, or if neither has one. */
export function gaveSameGrant({ call, grants: all }: DecisionSeen, grant: NewGrant | undefined): boolean {
  const given = all.find(({ id }) => id === grantIdOf(call.row.id));
  if (!given || !grant) return !given && !grant;
  const { scope, inputHash, condition, usesLeft, usesTaken, budget, createdAt, expiresAt } = given;
  return (
    scope === grant.scope &&
    inputHash === grant.inputHash &&
    condition === grant.condition &&
    (usesLeft === null ? null : usesLeft + usesTaken) === grant.uses &&
    isDeepStrictEqual(budget, grant.budget) &&
    expiresAt.getTime() - createdAt.getTime() === grant.lifetimeMs
  );
}

function grantIdOf(approvalId: string): string {
  return derivedId("grt", approvalId);
}
