import type { Approval } from "../approval/approval.js";
import { deceptiveText } from "../approval/deceptive-text.js";
import { stillNeeded } from "../approval/quorum.js";
import { shown } from "../approval/shown.js";
import { grantSuggestions } from "../grants/grant-suggestions.js";

/**
 * An approval as the API shows it. Dates are ISO 8601 in UTC. What the rules hide is hidden, also in what a person
 * changed, unless the reader may see everything; the digest covers it all the same.
 */
export function approvalView(
  approval: Approval,
  reader: { seesEverything: boolean; mayGiveGrants?: boolean },
) {
  const { decision } = approval;
  const { input, editedInput, response, hidden } = shown(approval, { sink: "inbox", ...reader });
  return {
    id: approval.id,
    requestId: approval.requestId,
    threadId: approval.threadId,
    runId: approval.runId,
    agentName: approval.agentName,
    requesterId: approval.requesterId,
    toolCallId: approval.toolCallId,
    toolName: approval.toolName,
    input,
    ...deceptiveText({ toolName: approval.toolName, input, editedInput }),
    redacted: hidden.redact,
    redactedPatterns: hidden.redactPatterns,
    digest: approval.digest,
    status: approval.status,
    verdict: approval.verdict,
    summary: approval.summary,
    risk: approval.risk,
    reason: approval.reason,
    decisions: approval.terms.decisions,
    quorum: approval.terms.quorum,
    distinctRoles: approval.terms.distinctRoles,
    denials: approval.terms.denials,
    votes: approval.votes.map(({ votedAt, ...vote }) => ({ ...vote, votedAt: votedAt.toISOString() })),
    stillNeeded: stillNeeded(approval),
    assigneeId: approval.assigneeId,
    delegable: approval.terms.delegable,
    viewers: approval.viewers.map(({ until, ...viewer }) => ({ ...viewer, until: until.toISOString() })),
    extensionsUsed: approval.extensionsUsed,
    extensionsLeft: Math.max(0, approval.terms.extensions - approval.extensionsUsed),
    editedInput,
    editable: approval.terms.editable,
    codePreview: approval.terms.codePreview,
    grantable: approval.terms.grantable,
    grantSuggestions: reader.mayGiveGrants ? grantSuggestions(approval) : [],
    grantId: approval.grantId,
    duplicateOf: approval.duplicateOf,
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
    response,
    /** As what kind of handler a call that was cut off had been started; tells whether it may run again. */
    handlerKind: approval.status === "interrupted" ? approval.handlerKind : null,
    resolution: approval.resolution && {
      ...approval.resolution,
      resolvedAt: approval.resolution.resolvedAt.toISOString(),
    },
    withdrawalCause: approval.withdrawalCause,
    startedAt: approval.startedAt?.toISOString() ?? null,
    finishedAt: approval.finishedAt?.toISOString() ?? null,
  };
}

export type ApprovalView = ReturnType<typeof approvalView>;
