import { randomBytes } from "node:crypto";
import { argumentsHash, callHash } from "../../approval/approval-digest.js";
import { type Proposer, proposedDigest } from "../../approval/proposed-digest.js";
import type { Proposal, ProposedCall } from "../ports/request-port.js";

const nonceBytes = 16;

/** A call that somebody proposes, and the fields of its row besides its status: its origin, and the digest with its nonce. */
export interface NewCall {
  proposed: ProposedCall;
  fields: ReturnType<typeof newApproval>;
}

/** The calls of a proposal. Made once, because their digests hold random parts. */
export function newCalls(proposal: Proposal): NewCall[] {
  return proposal.calls.map((proposed) => ({ proposed, fields: newApproval(proposal, proposed) }));
}

function newApproval(proposer: Proposer, call: ProposedCall) {
  const { requestId, tenantId, threadId, runId, agentName, requesterId } = proposer;
  const { approvers, countedAs: _, undo: __, ...described } = call;
  const nonce = randomBytes(nonceBytes).toString("base64url");
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
    callHash: callHash({ ...call, tenantId }),
    argumentsHash: argumentsHash({ ...call, tenantId }),
  };
}
