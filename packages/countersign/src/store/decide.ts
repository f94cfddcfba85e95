import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Approval, Vote } from "../approval/approval.js";
import type { Principal } from "../principal.js";
import { approvalFromRow } from "./approval-row.js";
import { actedAs, audit } from "./audit.js";
import { type Session, type Transaction, textArray } from "./database.js";
import { expireOverdue, lockRequest, wakeUpIfComplete } from "./request.js";
import { approvals, votes } from "./schema.js";
import type { DecideInput, DecideResult } from "./store.js";

const statusAfter = { approve: "approved", edit: "approved", deny: "denied", respond: "responded" } as const;

/** True when the rule lets this principal decide. */
export function mayDecide(approval: Approval, principal: Principal): boolean {
  const { roles, ids } = approval.approvers;
  if (approval.tenantId !== principal.tenantId) return false;
  if (roles.length === 0 && ids.length === 0) return true;
  return ids.includes(principal.id) || principal.roles.some((role) => roles.includes(role));
}

/** True when this principal may know of the approval: they may decide it, or they asked for it. */
export function maySee(approval: Approval, principal: Principal): boolean {
  return (
    approval.tenantId === principal.tenantId &&
    (mayDecide(approval, principal) || approval.requesterId === principal.id)
  );
}

/** One person's decision: authorisation, compare-and-swap, audit entry and outbox row together. */
export async function decide(session: Transaction, input: DecideInput): Promise<DecideResult> {
  const { principal } = input;
  const seen = await readApproval(session, principal.tenantId, input.approvalId);
  if (!seen || !maySee(seen, principal)) return { outcome: "not_found" };
  const request = await lockRequest(session, seen.requestId);
  const approval = await readApproval(session, principal.tenantId, input.approvalId);
  if (!approval || !request) return { outcome: "not_found" };
  if (!mayDecide(approval, principal)) return { outcome: "forbidden", approval };
  if (approval.status === "proposed") return { outcome: "not_open", approval };
  if (approval.status === "expired") return { outcome: "expired", approval, wakeUp: undefined };
  if (approval.status !== "pending") {
    const outcome = isSameDecision(approval, input) ? "repeated" : "lost";
    return { outcome, approval, wakeUp: undefined };
  }
  if (approval.digest !== input.digest) return { outcome: "digest_mismatch", approval };
  if (!approval.terms.decisions.includes(input.type)) return { outcome: "not_allowed", approval };
  if ((input.type === "edit") !== (input.edited !== undefined)) return { outcome: "not_allowed", approval };
  const own = approval.requesterId === principal.id;
  if (own && input.type !== "deny" && approval.terms.requesterMayNotApprove) {
    return { outcome: "self_approval", approval };
  }

  if (input.type === "approve" && approval.terms.quorum > 1) {
    const { repeated, count } = await vote(session, approval, input);
    if (count < approval.terms.quorum) {
      const voted = (await readApproval(session, principal.tenantId, approval.id)) ?? approval;
      return repeated
        ? { outcome: "repeated", approval: voted, wakeUp: undefined }
        : { outcome: "voted", approval: voted };
    }
  }
  return record(session, request, approval, input);
}

/** Notes one person's approval, unless the time has run out; the same person counts once. */
async function vote(
  session: Transaction,
  approval: Approval,
  input: DecideInput,
): Promise<{ repeated: boolean; count: number }> {
  const { db, now } = session;
  const added = await db
    .insert(votes)
    .select(
      db
        .select({
          approvalId: approvals.id,
          tenantId: approvals.tenantId,
          principalId: sql<string>`${input.principal.id}::text`.as("principal_id"),
          type: sql<"approve">`'approve'`.as("type"),
          roles: sql<string[]>`${textArray(input.principal.roles)}`.as("roles"),
          reason: sql<string | null>`${input.reason}::text`.as("reason"),
          votedAt: sql<Date>`${now}`.as("voted_at"),
        })
        .from(approvals)
        .where(and(eq(approvals.id, approval.id), sql`${approvals.expiresAt} > ${now}`)),
    )
    .onConflictDoNothing()
    .returning({ principalId: votes.principalId });
  const cast = await votesOf(session, [approval.id]);
  const count = cast.get(approval.id)?.length ?? 0;
  if (added.length > 0 && count < approval.terms.quorum) {
    audit(session, {
      tenantId: approval.tenantId,
      approvalId: approval.id,
      type: "approval.voted",
      actorId: input.principal.id,
      data: {
        digest: approval.digest,
        ...actedAs(input.principal),
        votes: count,
        quorum: approval.terms.quorum,
      },
    });
  }
  return { repeated: added.length === 0, count };
}

/** The compare-and-swap itself. */
async function record(
  session: Transaction,
  request: NonNullable<Awaited<ReturnType<typeof lockRequest>>>,
  approval: Approval,
  input: DecideInput,
): Promise<DecideResult> {
  const { db, now } = session;
  const { principal } = input;
  const [row] = await db
    .update(approvals)
    .set({
      status: statusAfter[input.type],
      responseJson: input.responseJson ?? null,
      editedInputJson: input.edited?.inputJson ?? null,
      editedDigest: input.edited?.digest ?? null,
      decisionType: input.type,
      decidedBy: principal.id,
      decisionReason: input.reason,
      decidedAt: now,
    })
    .where(
      and(
        eq(approvals.id, input.approvalId),
        eq(approvals.tenantId, principal.tenantId),
        eq(approvals.status, "pending"),
        eq(approvals.digest, input.digest),
        sql`${approvals.expiresAt} > ${now}`,
      ),
    )
    .returning();
  if (!row) {
    await expireOverdue(session, approval.requestId);
    const wakeUp = await wakeUpIfComplete(session, request);
    return { outcome: "expired", approval: { ...approval, status: "expired" }, wakeUp };
  }
  const wakeUp = await wakeUpIfComplete(session, request);
  audit(session, {
    tenantId: row.tenantId,
    approvalId: row.id,
    type: input.type === "edit" ? "approval.edited" : `approval.${statusAfter[input.type]}`,
    actorId: principal.id,
    data: {
      digest: row.digest,
      ...actedAs(principal),
      ...(input.edited ? { editedDigest: input.edited.digest } : {}),
    },
  });
  const cast = await votesOf(session, [row.id]);
  return { outcome: "decided", approval: approvalFromRow(row, { votes: cast.get(row.id) ?? [] }), wakeUp };
}

/** Repeating one's own decision, word for word, is a no-op: a client whose answer got lost may ask again. */
function isSameDecision(approval: Approval, input: DecideInput): boolean {
  const { decision } = approval;
  return (
    decision !== null &&
    decision.decidedBy === input.principal.id &&
    decision.type === input.type &&
    decision.reason === input.reason &&
    approval.responseJson === (input.responseJson ?? null) &&
    (approval.edited?.digest ?? null) === (input.edited?.digest ?? null) &&
    approval.digest === input.digest
  );
}

export async function readApproval(
  session: Session,
  tenantId: string,
  approvalId: string,
): Promise<Approval | undefined> {
  const [row] = await session.db
    .select()
    .from(approvals)
    .where(and(eq(approvals.id, approvalId), eq(approvals.tenantId, tenantId)));
  if (!row) return undefined;
  const cast = row.terms.quorum > 1 ? await votesOf(session, [row.id]) : undefined;
  return approvalFromRow(row, { votes: cast?.get(row.id) ?? [] });
}

/** The votes on some approvals, in the order in which they were cast. */
export async function votesOf({ db }: Session, approvalIds: readonly string[]): Promise<Map<string, Vote[]>> {
  const cast = new Map<string, Vote[]>();
  if (approvalIds.length === 0) return cast;
  const rows = await db
    .select()
    .from(votes)
    .where(inArray(votes.approvalId, [...approvalIds]))
    .orderBy(asc(votes.votedAt), asc(votes.principalId));
  for (const { approvalId, tenantId: _, ...vote } of rows) {
    cast.set(approvalId, [...(cast.get(approvalId) ?? []), vote]);
  }
  return cast;
}

export async function readReplacement(
  { db }: Session,
  approvalId: string,
): Promise<{ responseJson: string | null; editedInputJson: string | null }> {
  const [row] = await db
    .select({ responseJson: approvals.responseJson, editedInputJson: approvals.editedInputJson })
    .from(approvals)
    .where(eq(approvals.id, approvalId));
  return row ?? { responseJson: null, editedInputJson: null };
}
