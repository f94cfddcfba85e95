// @ts-check
// The calls in the pictures of messages. Their types are checked, so that a picture shows every field of a card.

/** @import { Channel } from "countersign" */
/** @import { Card } from "countersign/types" */
/** @typedef {Parameters<Channel["send"]>[0]} Delivery */
/** @typedef {Parameters<NonNullable<Channel["sendRoundup"]>>[0]} RoundupDelivery */

const at = new Date("2026-01-15T12:00:00Z");
const inbox = "https://desk.example.com/inbox";

/** @type {Card} */
export const pendingCard = {
  ...{ approvalId: "apr_k2", requestId: "req_1", tenantId: "acme", threadId: "thr_1", version: 3 },
  ...{ status: "pending", open: true, verdict: "ask", risk: "high" },
  summary: "Refund 240.00 EUR for order A-1005",
  ...{ label: "Refund", toolName: "issue_refund", agentName: "support" },
  ...{ requester: "ada", requesterName: "Ada Martin" },
  approvers: { roles: ["finance"], ids: [] },
  ...{
    whoDecides: "finance",
    escalatedTo: null,
    assignee: null,
    assigneeName: null,
    assigneeIsDelegate: false,
  },
  reasons: ["Refunds above 100 EUR need finance"],
  fields: [
    { name: "orderId", label: "Order", text: "A-1005" },
    { name: "amount", label: "Amount", text: "240.00 EUR" },
    { name: "note", label: "Note", text: "Broken on arrival" },
  ],
  ...{
    hiddenFields: [],
    codePreview: null,
    warnings: [],
    checks: [],
    effects: [],
    reversible: null,
    noPreview: null,
    counts: [],
    undo: null,
    undoes: null,
    digest: "9f2c41d07be5a3f8".repeat(4),
  },
  expiresAt: new Date(at.getTime() + 1_800_000),
  quorum: { required: 1, approved: 0 },
  ...{ outcome: null, url: `${inbox}/approvals/apr_k2`, decisions: ["approve", "deny"], notWhole: null },
};

/** @type {Card} */
export const closedCard = {
  ...pendingCard,
  ...{ version: 4, status: "executed", open: false, decisions: [] },
  outcome: {
    ...{ text: "Approved by Anna Weber. It ran", decidedBy: "anna", by: "Anna Weber", reason: null, at },
    votes: [{ id: "anna", name: "Anna Weber", type: "approve" }],
  },
};

/** @type {Omit<Delivery, "card">} */
export const attempt = {
  ...{ id: "dlv_1", messageId: "dlv_1_1", event: "approval.pending", occurredAt: at, since: at, attempts: 0 },
  ...{ recipient: { id: "C0123456789", label: "#finance" }, reference: null },
};

/** @type {RoundupDelivery} */
export const roundupAttempt = {
  ...attempt,
  roundup: {
    ...{ tenantId: "acme", calls: 4, highRisk: 3, oldest: at, url: inbox },
    tools: [
      { name: "Refund", calls: 3, sum: "730.00 EUR", url: `${inbox}?q=tool:issue_refund` },
      { name: "Email", calls: 1, sum: null, url: `${inbox}?q=tool:send_mail` },
    ],
  },
};
