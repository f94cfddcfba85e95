import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Approval } from "../../approval/approval.js";
import { type Counted, countApprovals, countPeople, votesTo } from "../../approval/quorum.js";
import { actedAs, audit } from "../audit/audit.js";
import type { VoteRow } from "../call-seen.js";
import type { Transaction } from "../database.js";
import { timeOfDecision } from "../evidence/decision-time.js";
import type { Sealed, Sealer } from "../evidence/sealing.js";
import { trailOf } from "../evidence/trail.js";
import { hasStatus } from "../rows/has-status.js";
import { voteOf } from "../rows/read-approval.js";
import { approvals } from "../schema.js";
import { provenVotes, votesWithTokens } from "./proven-votes.js";
import { type VoteInput, writeVote } from "./write-vote.js";

/** `late`: the call had expired, so the vote was not written. `decisive`: this vote decides the call. */
export interface VoteResult {
  outcome: "cast" | "repeated" | "late";
  decisive: boolean;
  /** The approval with all votes that currently count. */
  approval: Approval;
  /** Names the signed vote in the log. */
  voteId: string | undefined;
}

/**
 * Records one person's vote, unless the call has expired. Each person has one vote, which they may change until the
 * call is decided. With a sealer, only signed votes count. Needs the lock of the request.
 */
export async function vote(
  session: Transaction,
  approval: Approval,
  input: VoteInput,
  sealer: Sealer | undefined,
): Promise<VoteResult> {
  const { db, now } = session;
  const { principal, type } = input;
  const open = and(eq(approvals.id, approval.id), hasStatus("pending"), sql`${approvals.expiresAt} > ${now}`);
  const before = sealer && (await signedVotesTo(type, session, approval, sealer));
  const repeats = before?.some(({ principalId }) => principalId === principal.id) ?? false;
  const signed = sealer && !repeats ? await signVote(session, approval, input, sealer) : undefined;
  const written = !repeats && (await writeVote(session, input, open, signed?.token));
  const rows = await votesWithTokens(session, approval.id);
  if (!written) {
    const [stillOpen] = await db.select({ id: approvals.id }).from(approvals).where(open);
    if (!stillOpen) return { outcome: "late", decisive: false, approval, voteId: undefined };
  }
  const voters: readonly Counted[] = before
    ? [...before, ...(repeats ? [] : [voterOf(input)])]
    : votesTo(type, rows);
  const { quorum, denials } = approval.terms;
  const count =
    type === "approve"
      ? countApprovals(approval.terms, approval.approvers.roles, voters)
      : countPeople(voters);
  const needed = type === "approve" ? quorum : denials;
  const voteId = signed?.claims.id;
  if (written && count < needed) auditVote(session, approval, input, { voteId, count, needed });
  return {
    outcome: written ? "cast" : "repeated",
    decisive: count >= needed,
    approval: { ...approval, votes: rows.map(voteOf) },
    voteId,
  };
}

/** The people whose signed votes already say this. */
async function signedVotesTo(
  type: VoteInput["type"],
  session: Transaction,
  approval: Approval,
  sealer: Sealer,
): Promise<Counted[]> {
  const rows: VoteRow[] = await votesWithTokens(session, approval.id);
  const approvers = await provenVotes(approval, type, rows, await trailOf(session, approval), sealer);
  return approvers.map(({ id, roles, onBehalfOf }) => ({
    principalId: id,
    roles,
    onBehalfOf: onBehalfOf?.id ?? null,
  }));
}

function voterOf({ principal, onBehalfOf }: VoteInput): Counted {
  return { principalId: principal.id, roles: principal.roles, onBehalfOf: onBehalfOf?.id ?? null };
}

async function signVote(
  session: Transaction,
  approval: Approval,
  { type, principal, onBehalfOf }: VoteInput,
  sealer: Sealer,
): Promise<Sealed<"vote">> {
  const { id: approvalId, tenantId, digest } = approval;
  return sealer.seal("vote", {
    id: `vot_${randomUUID()}`,
    tenantId,
    approvalId,
    digest,
    decision: type,
    principalId: principal.id,
    roles: principal.roles,
    ...(onBehalfOf && { onBehalfOf }),
    ...(principal.authenticatedBy === undefined ? {} : { via: principal.authenticatedBy }),
    iat: (await timeOfDecision(session, approval)).decidedAt / 1000,
  });
}

function auditVote(
  session: Transaction,
  { tenantId, id: approvalId, digest, notify }: Approval,
  { type, principal, onBehalfOf }: VoteInput,
  { voteId, count, needed }: { voteId: string | undefined; count: number; needed: number },
): void {
  audit(session, {
    tenantId,
    approvalId,
    type: "approval.voted",
    notify,
    actorId: principal.id,
    data: {
      type,
      digest,
      ...(voteId === undefined ? {} : { voteId }),
      ...actedAs(principal),
      ...(onBehalfOf === null ? {} : { onBehalfOf: onBehalfOf.id }),
      votes: count,
      needed,
    },
  });
}
