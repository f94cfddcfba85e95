import { randomUUID } from "node:crypto";
import type { Card, Delivery } from "countersign/types";

/** A pending refund as a channel is handed it. */
export function exampleCard(changes: Partial<Card> = {}): Card {
  return {
    approvalId: "apr_1",
    requestId: "req_1",
    tenantId: "acme",
    threadId: "thread-1",
    version: 3,
    status: "pending",
    open: true,
    verdict: "ask",
    summary: "Refund €40.00 to Ada",
    label: null,
    toolName: "refund",
    agentName: "support",
    risk: "high",
    requester: "requester",
    requesterName: "requester",
    approvers: { roles: ["finance"], ids: [] },
    whoDecides: "finance",
    escalatedTo: null,
    assignee: null,
    assigneeName: null,
    assigneeIsDelegate: false,
    reasons: ["Refunds need finance"],
    fields: [
      { name: "amount", text: "40.00" },
      { name: "customer", text: "Ada" },
    ],
    hiddenFields: ["card.number"],
    codePreview: null,
    warnings: [],
    checks: [],
    effects: [],
    reversible: null,
    noPreview: null,
    counts: [],
    undo: null,
    undoes: null,
    digest: "sha256:abc",
    expiresAt: new Date("2026-11-22T12:30:00Z"),
    quorum: { required: 1, approved: 0 },
    outcome: null,
    url: "https://desk.example.com/inbox/approvals/apr_1",
    decisions: [],
    notWhole: null,
    ...changes,
  };
}

/** A first attempt to report that call as pending. */
export function exampleDelivery(changes: Partial<Delivery> = {}): Delivery {
  return {
    id: "dlv_1",
    messageId: `dlv_${randomUUID()}`,
    event: "approval.pending",
    occurredAt: new Date("2026-11-22T12:00:00Z"),
    since: new Date("2026-11-22T12:00:00Z"),
    attempts: 0,
    recipient: { id: "unknown", label: "unknown" },
    card: exampleCard(),
    reference: null,
    ...changes,
  };
}
