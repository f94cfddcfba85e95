import type { Approval } from "../api/approval.js";

/** An approval that waits, with what a test says about it. */
export function someApproval(parts: Partial<Approval> = {}): Approval {
  return {
    id: "apr_1",
    requestId: "req_1",
    threadId: "thr_1",
    runId: "run_1",
    agentName: "support",
    requesterId: "requester",
    toolCallId: "call_1",
    toolName: "issue_refund",
    input: { orderId: "A-1001", amount: 80 },
    redacted: [],
    digest: "digest-1",
    status: "pending",
    verdict: "ask",
    summary: "Refund 80 EUR for order A-1001",
    risk: "medium",
    reason: null,
    decisions: ["approve", "edit", "deny"],
    quorum: 1,
    editedInput: null,
    editable: ["amount"],
    grantable: [],
    codePreview: null,
    approvers: { roles: ["finance"], ids: [] },
    policyVersion: "v1",
    createdAt: "2026-01-02T03:00:00.000Z",
    expiresAt: "2026-01-02T03:30:00.000Z",
    decision: null,
    response: null,
    withdrawalCause: null,
    startedAt: null,
    finishedAt: null,
    ...parts,
  };
}
