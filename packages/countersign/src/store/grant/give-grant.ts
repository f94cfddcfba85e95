import { isDeepStrictEqual } from "node:util";
import { derivedId, hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, count, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { amountOf } from "../../approval/budget.js";
import { mayStandFor, type NewGrant, scopeIdOf } from "../../approval/grant.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { Sealer } from "../evidence/sealing.js";
import { grants } from "../schema.js";
import { writeGrant } from "./write-grant.js";

/** Maximum number of a tenant's live grants. */
const maxLiveGrants = 1000;

/** A grant that is neither revoked, expired nor used up. */
export function isLive({ now }: Session) {
  return and(
    isNull(grants.revokedAt),
    gt(grants.expiresAt, now),
    or(isNull(grants.usesLeft), gt(grants.usesLeft, 0)),
  );
}

/**
 * Writes the grant of a decision, in the decision's transaction. One approval gives at most one grant.
 *
 * @throws CountersignError that undoes the decision: `grant_not_allowed`, `grant_limit`.
 */
export async function giveGrant(
  session: Transaction,
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
  await keepBelowLimit(session, tenantId);
  const id = grantIdOf(approval.id);
  const expiresAt = await writeGrant(
    session,
    approval,
    principal,
    { ...grant, id, scopeId, rerun: false },
    sealer,
  );
  audit(session, {
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
      expiresAt: expiresAt?.toISOString() ?? null,
    },
  });
}

/** Serialises grants, so that two given at once cannot both be the last one. */
async function keepBelowLimit(session: Session, tenantId: string): Promise<void> {
  const { db } = session;
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign:grants:${tenantId}`}, 0))`,
  );
  const [found] = await db
    .select({ live: count() })
    .from(grants)
    .where(and(eq(grants.tenantId, tenantId), isLive(session)));
  if ((found?.live ?? 0) < maxLiveGrants) return;
  throw new CountersignError(
    "grant_limit",
    `grant: ${maxLiveGrants} active grants are the maximum. Revoke some, or approve without a grant`,
    { detail: { limit: maxLiveGrants } },
  );
}

/** True if a repeated decision asks for the grant that the first one gave, or if neither has one. */
export async function isSameGrant(
  { db }: Session,
  approvalId: string,
  grant: NewGrant | undefined,
): Promise<boolean> {
  const [given] = await db
    .select({
      row: grants,
      lifetimeMs: sql<string>`extract(epoch from ${grants.expiresAt} - ${grants.createdAt}) * 1000`,
    })
    .from(grants)
    .where(eq(grants.id, grantIdOf(approvalId)));
  if (!given || !grant) return !given && !grant;
  const { row, lifetimeMs } = given;
  return (
    row.scope === grant.scope &&
    row.inputHash === grant.inputHash &&
    row.condition === grant.condition &&
    (row.usesLeft === null ? null : row.usesLeft + row.usesTaken) === grant.uses &&
    isDeepStrictEqual(row.budget, grant.budget) &&
    // The two times come from two reads of the clock.
    Math.abs(Number(lifetimeMs) - grant.lifetimeMs) < 1000
  );
}

function grantIdOf(approvalId: string): string {
  return derivedId("grt", approvalId);
}
