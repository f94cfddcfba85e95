import { type SQL, sql } from "drizzle-orm";
import type { Delegator } from "../../evidence/evidence-claims.js";
import { type Session, textArray } from "../database.js";
import { decidedNow } from "../evidence/decision-time.js";
import type { DecideInput } from "../ports/approval-port.js";
import { approvals, votes } from "../schema.js";

/** One person's vote, and on whose behalf they cast it. */
export type VoteInput = DecideInput & { type: "approve" | "deny"; onBehalfOf: Delegator | null };

/**
 * Writes a person's vote if the condition `open` still holds for the approval. Returns whether it did, and whether the
 * vote differs from the previous one. A signed vote replaces an unsigned one.
 */
export async function writeVote(
  session: Session,
  { principal, type, onBehalfOf, reason }: VoteInput,
  open: SQL | undefined,
  token: string | undefined,
): Promise<boolean> {
  const { db } = session;
  const delegatorRoles = onBehalfOf ? textArray(onBehalfOf.roles) : sql`null::text[]`;
  const written = await db
    .insert(votes)
    .select(
      db
        .select({
          approvalId: approvals.id,
          tenantId: approvals.tenantId,
          principalId: sql<string>`${principal.id}::text`.as("principal_id"),
          type: sql<"approve" | "deny">`${type}::text`.as("type"),
          roles: sql<string[]>`${textArray(principal.roles)}`.as("roles"),
          onBehalfOf: sql<string | null>`${onBehalfOf?.id ?? null}::text`.as("on_behalf_of"),
          onBehalfOfRoles: sql<string[] | null>`${delegatorRoles}`.as("on_behalf_of_roles"),
          reason: sql<string | null>`${reason}::text`.as("reason"),
          votedAt: sql<Date>`${decidedNow(session)}`.as("voted_at"),
          token: sql<string | null>`${token ?? null}::text`.as("token"),
          takenBackAt: sql<Date | null>`null::timestamptz`.as("taken_back_at"),
        })
        .from(approvals)
        .where(open),
    )
    .onConflictDoUpdate({
      target: [votes.approvalId, votes.principalId],
      set: {
        type,
        roles: sql`excluded.roles`,
        onBehalfOf: sql`excluded.on_behalf_of`,
        onBehalfOfRoles: sql`excluded.on_behalf_of_roles`,
        reason: sql`excluded.reason`,
        votedAt: sql`excluded.voted_at`,
        token: sql`excluded.token`,
        takenBackAt: null,
      },
      ...(token === undefined
        ? { setWhere: sql`${votes.type} <> ${type} or ${votes.takenBackAt} is not null` }
        : {}),
    })
    .returning({ principalId: votes.principalId });
  return written.length > 0;
}
