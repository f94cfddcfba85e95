import type { Channel } from "countersign";
import type { Card, Delivery, Recipient, Roundup } from "countersign/types";

const at = new Date("2026-01-15T12:00:00Z");

/** A card of a call that waits for a decision. */
export function openCard(changes: Partial<Card> = {}): Card {
  return {
    approvalId: "apr_example",
    requestId: "req_example",
    tenantId: "acme",
    threadId: "thr_example",
    version: 7,
    status: "pending",
    open: true,
    verdict: "ask",
    summary: "Refund 240.00 EUR for order A-1001",
    label: null,
    toolName: "issue_refund",
    agentName: "support",
    risk: "medium",
    requester: "ada",
    requesterName: "Ada",
    approvers: { roles: ["finance"], ids: [] },
    whoDecides: "finance",
    escalatedTo: null,
    assignee: null,
    assigneeName: null,
    assigneeIsDelegate: false,
    reasons: ["Refunds over 100 EUR need approval"],
    fields: [
      { name: "orderId", text: "A-1001" },
      { name: "amount", text: "240.00" },
      { name: "note", text: "Broken on arrival" },
    ],
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
    digest: "0123456789abcdef".repeat(4),
    expiresAt: new Date(at.getTime() + 1_800_000),
    quorum: { required: 1, approved: 0 },
    outcome: null,
    url: "https://desk.example.com/inbox/approvals/apr_example",
    decisions: ["approve", "deny"],
    notWhole: null,
    ...changes,
  };
}

/** The same card once somebody has approved the call. */
export function closedCard(changes: Partial<Card> = {}): Card {
  const votes = [{ id: "finance-anna", name: "Anna", type: "approve" as const }];
  const outcome = {
    text: "Approved by Anna",
    decidedBy: "finance-anna",
    by: "Anna",
    votes,
    reason: null,
    at,
  };
  return openCard({ version: 8, status: "approved", open: false, outcome, decisions: [], ...changes });
}

/** Many calls in one message. */
export const exampleRoundup: Roundup = {
  tenantId: "acme",
  calls: 12,
  highRisk: 1,
  oldest: at,
  tools: [
    {
      name: "issue_refund",
      calls: 9,
      sum: "2,160.00 EUR",
      url: "https://desk.example.com/inbox?q=tool:issue_refund",
    },
    { name: "send_mail", calls: 3, sum: null, url: "https://desk.example.com/inbox?q=tool:send_mail" },
  ],
  url: "https://desk.example.com/inbox",
};

/** A first attempt at a message about a card. */
export function deliveryOf(
  channel: Channel,
  recipient: Recipient,
  card: Card,
  changes: Partial<Delivery> = {},
): Delivery {
  const event = card.open ? "approval.pending" : "approval.decided";
  const id = channel.mode === "card" ? "dlv_example" : `dlv_example_${event}`;
  return {
    id,
    messageId: channel.mode === "card" ? `${id}_${card.version}` : id,
    event,
    occurredAt: at,
    since: at,
    attempts: 0,
    recipient,
    card,
    reference: null,
    ...changes,
  };
}
