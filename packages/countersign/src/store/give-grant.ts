import { and, count, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import { derivedId } from "../approval/digest.js";
import { mayStandFor, type NewGrant, scopeIdOf } from "../approval/grant.js";
import { CountersignError } from "../errors.js";
import type { Principal } from "../principal.js";
import { actedAs, audit } from "./audit.js";
import type { Session, Transaction } from "./database.js";
import { grants } from "./schema.js";

/** Most grants of a tenant that may cover something at once. */
const mostLive = 1000;

/** A grant that has neither been revoked nor run out of time or uses. */
export function isLive({ now }: Session) {
  return and(
    isNull(grants.revokedAt),
    gt(grants.expiresAt, now),
    or(isNull(grants.usesLeft), gt(grants.usesLeft, 0)),
  );
}

/**
 * Writes the grant that goes with a decision, in the decision's transaction. One approval gives one grant at most.
 *
 * @throws CountersignError which undoes the decision: `grant_not_allowed`, `grant_limit`.
 */
export async function giveGrant(
  session: Transaction,
  approval: Approval,
  principal: Principal,
  grant: NewGrant,
): Promise<void> {
  const { db, now } = session;
  const { tenantId, toolName, toolVersion, summary, approvers, terms, verdict } = approval;
  const { scope, inputHash, condition, lifetimeMs, uses } = grant;
  const scopeId = scopeIdOf(approval, scope);
  const allowed =
    verdict === "ask" &&
    terms.quorum === 1 &&
    terms.grantable.includes(scope) &&
    mayStandFor(approval, principal);
  if (!allowed || (scope !== "team" && scopeId === null)) {
    throw new CountersignError("grant_not_allowed", "grant: the rule does not let this grant be given");
  }
  await keepBelowLimit(session, tenantId);
  const id = grantIdOf(approval.id);
  const [row] = await db
    .insert(grants)
    .values({
      id,
      tenantId,
      scope,
      scopeId,
      toolName,
      toolVersion,
      inputHash,
      condition,
      summary,
      grantedBy: principal.id,
      grantedRoles: principal.roles,
      approvalId: approval.id,
      approverRoles: approvers.roles,
      approverIds: approvers.ids,
      createdAt: now,
      expiresAt: sql`${now} + ${lifetimeMs} * interval '1 millisecond'`,
      usesLeft: uses,
    })
    .returning({ expiresAt: grants.expiresAt });
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
      ...actedAs(principal),
      expiresAt: row?.expiresAt.toISOString() ?? null,
    },
  });
}

/** Two that are given at once must not both be the last one, so they take turns. */
async function keepBelowLimit(session: Session, tenantId: string): Promise<void> {
  const { db } = session;
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`countersign:grants:${tenantId}`}, 0))`,
  );
  const [found] = await db
    .select({ live: count() })
    .from(grants)
    .where(and(eq(grants.tenantId, tenantId), isLive(session)));
  if ((found?.live ?? 0) < mostLive) return;
  throw new CountersignError(
    "grant_limit",
    `grant: ${mostLive} grants stand already, which is as many as may. Revoke some, or approve without a grant`,
    { detail: { limit: mostLive } },
  );
}

/** True when a repeated decision asks for the very grant that the first one gave, or when neither has one. */
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
    // The two times are two looks at the clock.
    Math.abs(Number(lifetimeMs) - grant.lifetimeMs) < 1000
  );
}

function grantIdOf(approvalId: string): string {
  return derivedId("grt", approvalId);
}
