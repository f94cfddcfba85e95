import type { Approval } from "./approval.js";
import { approvalDigest, type DigestSubject } from "./approval-digest.js";

/** Whoever proposes calls: the subject, the place and the agent. */
export type Proposer = Pick<
  Approval,
  "requestId" | "tenantId" | "threadId" | "runId" | "agentName" | "requesterId"
>;

/** A call that somebody proposes, as its digest holds it. */
type DigestedCall = Omit<DigestSubject, keyof Proposer | "proposedRoles" | "nonce">;

/** The digest of a call when it is proposed: those whom its rule names are those who may decide. */
export function proposedDigest(proposer: Proposer, call: DigestedCall, nonce: string): string {
  return approvalDigest({ ...proposer, ...call, proposedRoles: call.approvers.roles, nonce });
}

/** True if a row is exactly this call of this proposer, whoever wrote it. */
export function isProposedBy(proposer: Proposer, call: DigestedCall, row: Approval): boolean {
  const digest = proposedDigest(proposer, call, row.nonce);
  return row.digest === digest && approvalDigest(row) === digest;
}
