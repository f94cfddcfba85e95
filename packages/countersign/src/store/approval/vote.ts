import { randomUUID } from "node:crypto";
import type { Approval } from "../../approval/approval.js";
import { type Counted, countApprovals, countPeople, votesTo } from "../../approval/quorum.js";
import type { Delegator } from "../../evidence/evidence-claims.js";
import { actedAs } from "../audit/audit.js";
import type { VoteRow } from "../call-seen.js";
import type { DecisionSeen } from "../decision-seen.js";
import type { Sealed, Sealer } from "../evidence/sealing.js";
import { decidedNow } from "../evidence/trail.js";
import type { DecideInput } from "../ports/approval-port.js";
import { jsonFromRow } from "../rows/row-to-json.js";
import { votes } from "../schema.js";
import { provenVotes } from "./proven-votes.js";

/** One person's vote, and on whose behalf they cast it. */
type VoteInput = DecideInput & { type: "approve" | "deny"; onBehalfOf: Delegator | null };

/** `repeated`: the person has voted so already. `decisive`: this vote decides the call. */
interface VoteResult {
  repeated: boolean;
  decisive: boolean;
  /** All votes that now count. */
  votes: readonly VoteRow[];
  /** Names the signed vote in the log. */
  voteId: string | undefined;
}

/**
 * Casts one person's vote. Each person has one, which they may change until the call is decided. With a sealer, only signed
 * votes count, and a signed one replaces an unsigned one. Each vote changes the version of the call: who votes at the same
 * time counts again.
 */
export async function castVote(
  seen: DecisionSeen,
  approval: Approval,
  input: VoteInput,
  sealer: Sealer | undefined,
): Promise<VoteResult> {
  const { principal, type } = input;
  const before: readonly Counted[] = sealer
    ? await provenVoters(type, seen, approval, sealer)
    : votesTo(type, seen.votes);
  const repeated = before.some(({ principalId }) => principalId === principal.id);
  const voters = [...before.filter(({ principalId }) => principalId !== principal.id), voterOf(input)];
  const { quorum, denials } = approval.terms;
  const count =
    type === "approve"
      ? countApprovals(approval.terms, approval.approvers.roles, voters)
      : countPeople(voters);
  const needed = type === "approve" ? quorum : denials;
  const decisive = count >= needed;
  // A vote that decides is signed anew: the entry about the decision names it, and would otherwise end an earlier one.
  const own = repeated && !decisive ? undefined : await voteOf(seen, approval, input, sealer);
  const voteId = own?.signed?.claims.id;
  if (own) {
    seen.request.also.vote = jsonFromRow(votes, own.row);
    seen.call.change({});
    if (!decisive) audit(seen, input, { voteId, count, needed });
  }
  const others = seen.votes.filter(({ principalId }) => principalId !== principal.id);
  return { repeated, decisive, votes: own ? [...others, own.row] : seen.votes, voteId };
}

/** The people whose signed votes already say this. */
async function provenVoters(
  type: VoteInput["type"],
  seen: DecisionSeen,
  approval: Approval,
  sealer: Sealer,
): Promise<Counted[]> {
  const approvers = await provenVotes(approval, type, seen.votes, seen.call.trail, sealer);
  return approvers.map(({ id, roles, onBehalfOf }) => ({
    principalId: id,
    roles,
    onBehalfOf: onBehalfOf?.id ?? null,
  }));
}

function voterOf({ principal, onBehalfOf }: VoteInput): Counted {
  return { principalId: principal.id, roles: principal.roles, onBehalfOf: onBehalfOf?.id ?? null };
}

async function voteOf(
  { request, call: { trail } }: DecisionSeen,
  approval: Approval,
  { principal, type, onBehalfOf, reason }: VoteInput,
  sealer: Sealer | undefined,
): Promise<{ row: VoteRow; signed: Sealed<"vote"> | undefined }> {
  const { id: approvalId, tenantId, digest } = approval;
  const votedAt = decidedNow(trail, request.now);
  const signed = await sealer?.seal("vote", {
    id: `vot_${randomUUID()}`,
    tenantId,
    approvalId,
    digest,
    decision: type,
    principalId: principal.id,
    roles: principal.roles,
    ...(onBehalfOf && { onBehalfOf }),
    ...(principal.authenticatedBy === undefined ? {} : { via: principal.authenticatedBy }),
    iat: votedAt.getTime() / 1000,
  });
  const row = {
    ...{ approvalId, tenantId, principalId: principal.id, type, roles: principal.roles, reason, votedAt },
    onBehalfOf: onBehalfOf?.id ?? null,
    onBehalfOfRoles: onBehalfOf?.roles ?? null,
    token: signed?.token ?? null,
    takenBackAt: null,
  };
  return { row, signed };
}

function audit(
  { request, call }: DecisionSeen,
  { type, principal, onBehalfOf }: VoteInput,
  { voteId, count, needed }: { voteId: string | undefined; count: number; needed: number },
): void {
  const { tenantId, id: approvalId, digest, notify } = call.row;
  request.audited.push({
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
