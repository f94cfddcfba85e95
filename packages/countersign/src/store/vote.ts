import { and, eq, ne, sql } from "drizzle-orm";
import type { Approval } from "../approval/approval.js";
import { countedApprovals, countedDenials } from "../approval/quorum.js";
import { isNamed } from "../approval/who-decides.js";
import { actedAs, audit } from "./audit.js";
import { type Transaction, textArray } from "./database.js";
import { votesOf } from "./read-approval.js";
import { approvals, votes } from "./schema.js";
import type { DecideInput } from "./store.js";

/** `late`: the time had run out, so nothing was written. `decisive`: with this vote the call is decided. */
export interface VoteResult {
  outcome: "cast" | "repeated" | "late";
  decisive: boolean;
  /** The approval with all votes that count now. */
  approval: Approval;
}

/**
 * Notes one person's vote, unless the time has run out. Each person has one vote, which they may change while
 * nothing is decided. Needs the lock of the request.
 */
export async function vote(
  session: Transaction,
  approval: Approval,
  input: DecideInput & { type: "approve" | "deny" },
): Promise<VoteResult> {
  const { db, now } = session;
  const { principal, type } = input;
  const onBehalfOf = isNamed(approval, principal) ? null : approval.assignedBy;
  const open = and(
    eq(approvals.id, approval.id),
    eq(approvals.status, "pending"),
    sql`${approvals.expiresAt} > ${now}`,
  );
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
          onBehalfOf: sql<string | null>`${onBehalfOf}::text`.as("on_behalf_of"),
          reason: sql<string | null>`${input.reason}::text`.as("reason"),
          votedAt: sql<Date>`${now}`.as("voted_at"),
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
        reason: sql`excluded.reason`,
        votedAt: sql`excluded.voted_at`,
      },
      setWhere: ne(votes.type, type),
    })
    .returning({ principalId: votes.principalId });
  const cast = await votesOf(session, [approval.id]);
  const voted = { ...approval, votes: cast.get(approval.id) ?? [] };
  if (written.length === 0) {
    const [stillOpen] = await db.select({ id: approvals.id }).from(approvals).where(open);
    if (!stillOpen) return { outcome: "late", decisive: false, approval };
  }
  const count = type === "approve" ? countedApprovals(voted) : countedDenials(voted);
  const needed = type === "approve" ? approval.terms.quorum : approval.terms.denials;
  const decisive = count >= needed;
  if (written.length > 0 && !decisive) {
    audit(session, {
      tenantId: approval.tenantId,
      approvalId: approval.id,
      type: "approval.voted",
      actorId: principal.id,
      data: {
        type,
        digest: approval.digest,
        ...actedAs(principal),
        ...(onBehalfOf === null ? {} : { onBehalfOf }),
        votes: count,
        needed,
      },
    });
  }
  return { outcome: written.length > 0 ? "cast" : "repeated", decisive, approval: voted };
}
