import { randomBytes } from "node:crypto";
import type { Approval } from "../../approval/approval.js";
import { approvalDigest, callHash } from "../../approval/approval-digest.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";

/** The proposal without its calls: the subject, the place and the agent. */
export type Proposer = Pick<
  Proposal,
  "requestId" | "tenantId" | "threadId" | "runId" | "agentName" | "requesterId"
>;

const nonceBytes = 16;

/** The random parts of the digests of calls. Drawn once, although a remote signer has them proposed twice. */
export function drawNonces({ calls }: Pick<Proposal, "calls">): string[] {
  return calls.map(newNonce);
}

function newNonce(): string {
  return randomBytes(nonceBytes).toString("base64url");
}

/** The fields of a new row beside its status: the call, its origin, and the digest with its nonce. */
export function newApproval(proposer: Proposer, call: ProposedCall, nonce = newNonce()) {
  const { requestId, tenantId, threadId, runId, agentName, requesterId } = proposer;
  const { approvers, countedAs: _, undo: __, ...described } = call;
  return {
    ...described,
    requestId,
    tenantId,
    threadId,
    runId,
    agentName,
    requesterId,
    approverRoles: approvers.roles,
    approverIds: approvers.ids,
    proposedRoles: approvers.roles,
    nonce,
    digest: proposedDigest(proposer, call, nonce),
    callHash: hashOf(proposer, call),
  };
}

/** What a call has in common with a repetition of it. */
export function hashOf({ tenantId }: Pick<Proposer, "tenantId">, call: ProposedCall): string {
  return callHash({ ...call, tenantId });
}

/** True if a row is exactly this call of this proposer, whoever wrote it. */
export function isProposedBy(proposer: Proposer, call: ProposedCall, row: Approval): boolean {
  const digest = proposedDigest(proposer, call, row.nonce);
  return row.digest === digest && approvalDigest(row) === digest;
}

function proposedDigest(proposer: Proposer, call: ProposedCall, nonce: string): string {
  return approvalDigest({ ...proposer, ...call, proposedRoles: call.approvers.roles, nonce });
}
