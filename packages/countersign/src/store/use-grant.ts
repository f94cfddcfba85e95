import { and, asc, eq, isNull, or, sql } from "drizzle-orm";
import { hashCanonical } from "../approval/digest.js";
import { mayStandFor, scopeIdOf } from "../approval/grant.js";
import { grantScopes } from "../policy/rule.js";
import type { Session } from "./database.js";
import { isLive } from "./give-grant.js";
import { grants } from "./schema.js";
import type { Proposal, ProposedCall } from "./store.js";

/** Who let a call through, and by which grant. */
export interface UsedGrant {
  id: string;
  grantedBy: string;
}

/**
 * Uses one grant that covers a new call: the narrowest (exact arguments before a condition before any, a thread
 * before a user before the team), then one whose uses run out, then the one that expires soonest.
 */
export async function useGrant(
  session: Session,
  proposal: Proposal,
  call: ProposedCall,
): Promise<UsedGrant | undefined> {
  const { db } = session;
  const { tenantId, threadId, requesterId, meetsCondition } = proposal;
  const { grantable, quorum } = call.terms;
  if (call.verdict !== "ask" || quorum > 1) return undefined;
  const inputHash = hashCanonical(JSON.parse(call.inputJson));
  const scopes = grantScopes.flatMap((scope) => {
    const scopeId = scopeIdOf({ threadId, requesterId }, scope);
    if (scopeId === null && scope !== "team") return [];
    const here = and(eq(grants.scope, scope), scopeId === null ? undefined : eq(grants.scopeId, scopeId));
    // A call that was cut off had been approved: making it once more needs nothing of the rule.
    return [grantable.includes(scope) ? here : and(here, grants.rerun)];
  });
  const found = await db
    .select()
    .from(grants)
    .where(
      and(
        eq(grants.tenantId, tenantId),
        eq(grants.toolName, call.toolName),
        eq(grants.toolVersion, call.toolVersion),
        isLive(session),
        or(...scopes),
        or(isNull(grants.inputHash), eq(grants.inputHash, inputHash)),
      ),
    )
    .orderBy(
      sql`${grants.inputHash} is null`,
      sql`${grants.condition} is null`,
      sql`array_position(array['${sql.raw(grantScopes.join("','"))}'], ${grants.scope})`,
      sql`${grants.usesLeft} is null`,
      asc(grants.expiresAt),
      asc(grants.id),
    );
  for (const { id, grantedBy, grantedRoles, condition } of found) {
    if (!mayStandFor({ ...call, requesterId }, { id: grantedBy, roles: grantedRoles })) continue;
    if (condition !== null && !meetsCondition?.(condition, { ...call, threadId })) continue;
    const taken = await db
      .update(grants)
      .set({ usesLeft: sql`${grants.usesLeft} - 1`, usesTaken: sql`${grants.usesTaken} + 1` })
      .where(and(eq(grants.id, id), isLive(session)))
      .returning({ id: grants.id });
    if (taken.length > 0) return { id, grantedBy };
  }
  return undefined;
}

/** True when the grant that let a call through has been revoked. Its row stays as it is until the commit. */
export async function isRevoked({ db }: Session, grantId: string): Promise<boolean> {
  const [grant] = await db
    .select({ revokedAt: grants.revokedAt })
    .from(grants)
    .where(eq(grants.id, grantId))
    .for("share");
  return grant === undefined || grant.revokedAt !== null;
}
