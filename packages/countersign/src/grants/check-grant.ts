import { TooMuchWork, WorkLimit } from "@countersign/policy/internal/bounded/work-limit";
import { ConditionError } from "@countersign/policy/internal/policy/conditions/condition-error";
import { compileCondition } from "@countersign/policy/internal/policy/rules/condition";
import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { checkedDurationMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "../approval/approval.js";
import { amountOf } from "../approval/budget.js";
import { mayStandFor, type NewGrant, scopeIdOf } from "../approval/grant.js";
import { GrantConditions } from "./grant-conditions.js";
import { type GrantRequest, grantRequest } from "./grant-request.js";

/**
 * A grant in the store's form. Does not check whether it may be given.
 *
 * @throws CountersignError `invalid_grant`, naming the field.
 */
export function newGrant(
  request: GrantRequest,
  approval: Approval,
  { seesEverything }: { seesEverything: boolean },
): NewGrant {
  const parsed = grantRequest.safeParse(request);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalidGrant(["grant", ...(issue?.path ?? [])].join("."), issue?.message ?? "is invalid");
  }
  const { scope, arguments: covered, expiresIn, uses, budget } = parsed.data;
  return {
    scope,
    inputHash: covered === "exact" ? hashCanonical(JSON.parse(approval.inputJson)) : null,
    condition: typeof covered === "object" ? covered.when : null,
    authorSeesAll: seesEverything,
    lifetimeMs: checkedDurationMs(expiresIn),
    uses: uses ?? null,
    budget: budget ? { ...budget, each: budget.each ?? null, unit: budget.unit ?? null } : null,
  };
}

/**
 * Throws if a grant may not be given with the approval of this call.
 *
 * @throws CountersignError `grant_not_allowed` or `invalid_grant`, naming the field and the fix.
 */
export function checkGrant(grant: NewGrant, approval: Approval, principal: Principal): void {
  const { scope, condition, budget } = grant;
  const { grantable } = approval.terms;
  if (approval.verdict !== "ask" || !grantable.includes(scope)) {
    const scopes = approval.verdict === "ask" ? grantable : [];
    throw new CountersignError(
      "grant_not_allowed",
      scopes.length === 0
        ? "grant: the call's rule does not allow grants. Approve the call without a grant"
        : `grant.scope: the rule only allows ${scopes.join(" or ")}, not ${scope}`,
      { detail: { grantable: scopes } },
    );
  }
  if (scope !== "team" && scopeIdOf(approval, scope) === null) {
    throw invalidGrant(
      "grant.scope",
      scope === "thread"
        ? "this call has no thread; choose another scope"
        : "this call has no requester; choose another scope",
    );
  }
  if (!mayStandFor(approval, principal)) {
    throw new CountersignError(
      "grant_not_allowed",
      "grant: only approvers named by the rule may create a grant. Approve the call without a grant",
    );
  }
  if (condition !== null) checkCondition(condition, approval, grant.authorSeesAll);
  if (budget !== null && amountOf(approval, budget) === undefined) {
    throw invalidGrant(
      "grant.budget.amount",
      "the call that you approve has no amount there: a number of at least 0 that its rule does not hide",
    );
  }
}

/** The error has the position and kind of the problem, and no value: the author may not see them all. */
function checkCondition(condition: string, approval: Approval, authorSeesAll: boolean): void {
  const field = "grant.arguments.when";
  let holds: boolean;
  let counts: boolean;
  try {
    counts = new WorkLimit().run((meter) => compileCondition(condition, meter).counts.length > 0);
    holds = counts || new GrantConditions().judge(condition, approval, authorSeesAll);
  } catch (error) {
    if (error instanceof TooMuchWork)
      throw invalidGrant(field, "takes too much work to evaluate; simplify it");
    const summary = error instanceof ConditionError ? `: ${error.summary}` : "";
    throw invalidGrant(field, `cannot be evaluated for this call${summary}`);
  }
  if (counts) throw invalidGrant(field, "cannot count over time; limit the grant's uses or give it a budget");
  if (!holds) throw invalidGrant(field, "does not match the call that you approve; widen it");
}

export function invalidGrant(field: string, message: string): CountersignError {
  return new CountersignError("invalid_grant", `${field}: ${message}`, {
    detail: { errors: [{ field, message }] },
  });
}
