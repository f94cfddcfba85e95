import ms, { type StringValue } from "ms";
import type { Approval } from "../approval/approval.js";
import { hashCanonical } from "../approval/digest.js";
import { mayStandFor, type NewGrant, scopeIdOf } from "../approval/grant.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import { judgeCondition } from "./condition-holds.js";
import { type GrantRequest, grantRequest } from "./grant-request.js";

/**
 * A grant in the words that the store keeps. Says nothing yet about whether it may be given.
 *
 * @throws CountersignError `invalid_grant`, naming the field.
 */
export function newGrant(request: GrantRequest, approval: Approval): NewGrant {
  const parsed = grantRequest.safeParse(request);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidGrant(["grant", ...(issue?.path ?? [])].join("."), issue?.message ?? "is malformed");
  }
  const { scope, arguments: covered, expiresIn, uses } = parsed.data;
  return {
    scope,
    inputHash: covered === "exact" ? hashCanonical(JSON.parse(approval.inputJson)) : null,
    condition: typeof covered === "object" ? covered.when : null,
    lifetimeMs: Math.round(ms(expiresIn as StringValue)),
    uses: uses ?? null,
  };
}

/**
 * Refuses a grant that may not be given with the approval of this call.
 *
 * @throws CountersignError `grant_not_allowed` or `invalid_grant`, naming the field and the fix.
 */
export function checkGrant(grant: NewGrant, approval: Approval, principal: Principal): void {
  const { scope, condition } = grant;
  const { grantable } = approval.terms;
  if (approval.verdict !== "ask" || !grantable.includes(scope)) {
    const scopes = approval.verdict === "ask" ? grantable : [];
    throw new CountersignError(
      "grant_not_allowed",
      scopes.length === 0
        ? "grant: the rule does not let such calls be allowed for the future. Approve this one without a grant"
        : `grant.scope: the rule only allows ${scopes.join(" or ")}, not ${scope}`,
      { detail: { grantable: scopes } },
    );
  }
  if (scope !== "team" && scopeIdOf(approval, scope) === null) {
    throw invalidGrant(
      "grant.scope",
      scope === "thread"
        ? "this call belongs to no thread; choose another scope"
        : "nobody is known to have asked for this call; choose another scope",
    );
  }
  if (!mayStandFor(approval, principal)) {
    throw new CountersignError(
      "grant_not_allowed",
      "grant: only somebody whom the rule names may give one. Approve this call without a grant",
    );
  }
  if (condition !== null) checkCondition(condition, approval);
}

function checkCondition(condition: string, approval: Approval): void {
  const field = "grant.arguments.when";
  let holds: boolean;
  try {
    holds = judgeCondition(condition, approval);
  } catch (error) {
    const message = String(error instanceof Error ? error.message : error).split("\n")[0];
    throw invalidGrant(
      field,
      `cannot be judged for this call (${message}); conditions speak of input, principal, thread and tool`,
    );
  }
  if (!holds) throw invalidGrant(field, "does not hold for the very call that you approve; widen it");
}

export function invalidGrant(field: string, message: string): CountersignError {
  return new CountersignError("invalid_grant", `${field}: ${message}`, {
    detail: { errors: [{ field, message }] },
  });
}
