import type { Approval } from "../approval/approval.js";

/** An approval as the API shows it. Dates are ISO 8601 in UTC. */
export function approvalView(approval: Approval) {
  const { decision } = approval;
  return {
    id: approval.id,
    requestId: approval.requestId,
    threadId: approval.threadId,
    runId: approval.runId,
    agentName: approval.agentName,
    requesterId: approval.requesterId,
    toolCallId: approval.toolCallId,
    toolName: approval.toolName,
    input: JSON.parse(approval.inputJson),
    digest: approval.digest,
    status: approval.status,
    verdict: approval.verdict,
    summary: approval.summary,
    risk: approval.risk,
    reason: approval.reason,
    decisions: approval.terms.decisions,
    quorum: approval.terms.quorum,
    votes: approval.votes.map(({ principalId, votedAt }) => ({
      principalId,
      votedAt: votedAt.toISOString(),
    })),
    editedInput: approval.edited === null ? null : JSON.parse(approval.edited.inputJson),
    editable: approval.terms.editable,
    codePreview: approval.terms.codePreview,
    approvers: approval.approvers,
    policyVersion: approval.policyVersion,
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt?.toISOString() ?? null,
    decision: decision && {
      type: decision.type,
      decidedBy: decision.decidedBy,
      reason: decision.reason,
      decidedAt: decision.decidedAt.toISOString(),
    },
    response: approval.responseJson === null ? null : JSON.parse(approval.responseJson),
    withdrawalCause: approval.withdrawalCause,
    startedAt: approval.startedAt?.toISOString() ?? null,
    finishedAt: approval.finishedAt?.toISOString() ?? null,
  };
}

export type ApprovalView = ReturnType<typeof approvalView>;
