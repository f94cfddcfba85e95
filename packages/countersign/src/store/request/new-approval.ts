import { randomBytes } from "node:crypto";
import { callHash } from "../../approval/approval-digest.js";
import { type Proposer, proposedDigest } from "../../approval/proposed-digest.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";

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
