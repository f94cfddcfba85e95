import type { Approval } from "../approval/approval.js";
import { deceptiveText } from "../approval/deceptive-text.js";
import { mayStandFor } from "../approval/grant.js";
import { stillNeeded } from "../approval/quorum.js";
import { shown } from "../approval/shown.js";
import { mayDecide } from "../approval/who-decides.js";
import { grantSuggestions } from "../grants/grant-suggestions.js";
import type { DecisionType } from "../policy/rule.js";
import type { Principal } from "../principal.js";
import type { ApprovalView } from "./contract/approval-schemas.js";

/**
 * An approval as the API shows it. Dates are ISO 8601 in UTC. What the rules hide is hidden, also in what a person
 * changed, unless the reader may see everything; the digest covers it all the same.
 */
export function approvalView(
  approval: Approval,
  reader: Principal,
  { seesEverything }: { seesEverything: boolean },
): ApprovalView {
  const { decision } = approval;
  const { input, editedInput, response, outcome, hidden } = shown(approval, {
    sink: "inbox",
    seesEverything,
  });
  const own = decisionsOf(approval, reader);
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
    inputSchema: approval.inputSchemaJson === null ? null : JSON.parse(approval.inputSchemaJson),
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
    yourDecisions: own,
    mayDecide: own.length > 0,
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
    grantSuggestions:
      own.includes("approve") && mayStandFor(approval, reader) ? grantSuggestions(approval) : [],
    grantId: approval.grantId,
    duplicateOf: approval.duplicateOf,
    approvers: approval.approvers,
    policyVersion: approval.policyVersion,
    createdAt: approval.createdAt.toISOString(),
    announcedAt: approval.announcedAt?.toISOString() ?? null,
    expiresAt: approval.expiresAt?.toISOString() ?? null,
    decision: decision && {
      type: decision.type,
      decidedBy: decision.decidedBy,
      reason: decision.reason,
      decidedAt: decision.decidedAt.toISOString(),
    },
    response,
    outcome,
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

/** What this reader may decide about it now. */
function decisionsOf(approval: Approval, reader: Principal): DecisionType[] {
  if (approval.status !== "pending" || !mayDecide(approval, reader)) return [];
  const own = approval.terms.requesterMayNotApprove && approval.requesterId === reader.id;
  return approval.terms.decisions.filter((type) => !own || type === "deny");
}
