import type { Principal } from "@countersign/policy/internal/shared/principal";
import { and, arrayOverlaps, desc, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import { type Grant, mayRevoke } from "../../approval/grant.js";
import { actedAs, audit } from "../audit/audit.js";
import type { Session, Transaction } from "../database.js";
import type { GrantFilter, RevokeResult } from "../ports/grant-port.js";
import { hasId } from "../rows/has-id.js";
import { approvals, grants } from "../schema.js";
import { isLive } from "./is-live.js";
import { budgetUsed } from "./spend-budget.js";

/** Grants, newest first, seek-paged: each page starts after the last row of the previous one. */
export async function listGrants(session: Session, filter: GrantFilter): Promise<Grant[]> {
  const { tenantId, visibleTo, live, limit, after } = filter;
  return readGrants(
    session,
    and(
      eq(grants.tenantId, tenantId),
      visibleTo && isVisibleTo(visibleTo),
      live ? isLive(session) : undefined,
      after &&
        sql`(${grants.createdAt}, ${grants.id}) < (${after.at.toISOString()}::timestamptz, ${after.id})`,
    ),
    limit,
  );
}

export async function getGrant(
  session: Session,
  principal: Principal,
  grantId: string,
): Promise<Grant | undefined> {
  const [grant] = await readGrants(
    session,
    and(hasId(grants.id, grantId), eq(grants.tenantId, principal.tenantId), isVisibleTo(principal)),
    1,
  );
  return grant;
}

export async function revokeGrant(
  session: Transaction,
  principal: Principal,
  grantId: string,
): Promise<RevokeResult> {
  const seen = await getGrant(session, principal, grantId);
  if (!seen) return { outcome: "not_found" };
  if (!mayRevoke(seen, principal)) return { outcome: "forbidden", grant: seen };
  const revoked = await session.db
    .update(grants)
    .set({ revokedAt: session.now, revokedBy: principal.id })
    .where(and(eq(grants.id, grantId), isNull(grants.revokedAt)))
    .returning({ id: grants.id });
  const grant = (await getGrant(session, principal, grantId)) ?? seen;
  if (revoked.length === 0) return { outcome: "repeated", grant };
  audit(session, {
    tenantId: grant.tenantId,
    approvalId: grant.approvalId,
    type: "grant.revoked",
    actorId: principal.id,
    data: { grantId, toolName: grant.toolName, usesTaken: grant.usesTaken, ...actedAs(principal) },
  });
  return { outcome: "revoked", grant };
}

/** `mayRevoke` in SQL, or the user to whom the grant applies. */
function isVisibleTo(principal: Principal): SQL | undefined {
  return or(
    eq(grants.grantedBy, principal.id),
    and(eq(grants.scope, "user"), eq(grants.scopeId, principal.id)),
    sql`(${grants.approverRoles} = '{}' and ${grants.approverIds} = '{}')`,
    arrayOverlaps(grants.approverIds, [principal.id]),
    principal.roles.length > 0 ? arrayOverlaps(grants.approverRoles, principal.roles) : undefined,
  );
}

/** What the rules called the call with whose approval a grant was created. */
function labelOf(db: Session["db"]) {
  return db
    .select({ label: sql<string | null>`${approvals.terms}->>'label'` })
    .from(approvals)
    .where(and(eq(approvals.tenantId, grants.tenantId), eq(approvals.id, grants.approvalId)));
}

async function readGrants(session: Session, condition: SQL | undefined, limit: number): Promise<Grant[]> {
  const { db, now } = session;
  const rows = await db
    .select({
      row: grants,
      overdue: sql<boolean>`${grants.expiresAt} <= ${now}`,
      budgetUsed: budgetUsed.mapWith(Number),
      label: sql<string | null>`(${labelOf(db)})`,
    })
    .from(grants)
    .where(condition)
    .orderBy(desc(grants.createdAt), desc(grants.id))
    .limit(limit);
  return rows.map(
    ({ row: { approverRoles, approverIds, spent: _, ...row }, overdue, budgetUsed, label }) => ({
      ...row,
      label,
      budgetUsed,
      approvers: { roles: approverRoles, ids: approverIds },
      status:
        row.revokedAt !== null ? "revoked" : overdue ? "expired" : row.usesLeft === 0 ? "used_up" : "live",
    }),
  );
}
