import type { Card, Delivery, RoundupDelivery } from "countersign/types";
import { describe, expect, it } from "vitest";
import { mailContent } from "./email/content.js";
import { html } from "./email/html.js";
import { plainText } from "./email/plain-text.js";
import { roundupContent } from "./email/roundup-content.js";
import { cardMessage } from "./slack/message/card-message.js";
import { roundupMessage } from "./slack/message/roundup-message.js";
import { denyModal } from "./slack/receive/deny-modal.js";
import { replyText } from "./slack/remind.js";

/** Words of programmers, which nobody who decides has to know. */
const foreign = /\b(?:calls?|propos\w*|judg\w*|states?|found out|digest)\b/i;

const at = new Date("2026-11-22T12:00:00Z");
const inbox = "https://desk.example.com/inbox";

const waiting: Card = {
  ...{ approvalId: "apr_1", requestId: "req_1", tenantId: "acme", threadId: null, version: 1 },
  ...{ status: "pending", open: true, verdict: "ask", risk: "high" },
  ...{ summary: "Refund 240.00 EUR for order A-1005", label: "Refund", toolName: "issue_refund" },
  ...{ agentName: "support", requester: "ada", requesterName: "Ada Martin" },
  ...{ approvers: { roles: ["finance"], ids: [] }, whoDecides: "finance", escalatedTo: "lead" },
  ...{ assignee: "bo", assigneeName: "Bo", assigneeIsDelegate: false },
  reasons: ["Refunds above 100 EUR need finance"],
  fields: [
    { name: "orderId", label: "Order", text: "A-1005" },
    { name: "amount", text: "240.00 EUR" },
  ],
  ...{ hiddenFields: ["card"], codePreview: null, warnings: ["orderId has blanks"] },
  checks: [{ ok: false, text: "balance: 12.50 EUR are left" }],
  ...{ effects: ["order A-1005: paid → refunded"], reversible: "This cannot be undone.", noPreview: null },
  ...{ counts: ["80 of 400 EUR in 24 hours"], undo: null, undoes: null, digest: "d".repeat(64) },
  ...{ expiresAt: new Date("2026-11-22T12:30:00Z"), quorum: { required: 1, approved: 0 }, outcome: null },
  ...{ url: `${inbox}/approvals/apr_1`, decisions: ["approve", "deny"], notWhole: null },
};

const ended = (status: Card["status"], text: string, changes: Partial<Card> = {}): Card => ({
  ...{ ...waiting, status, open: false, decisions: [] },
  outcome: { text, decidedBy: "anna", by: "Anna Weber", votes: [], reason: "Wrong order", at },
  ...changes,
});

const undo: NonNullable<Card["undo"]> = {
  ...{ text: "It can be undone for 10 minutes after it ran.", within: "10m", until: at },
  ...{ possible: true, offered: true, undoId: null, undoneAt: null },
};

const samples: Record<string, Card> = {
  waiting,
  quorum: {
    ...waiting,
    quorum: { required: 2, approved: 1 },
    outcome: { text: "1 of 2 approved (Ada)", decidedBy: null, by: null, votes: [], reason: null, at },
  },
  question: { ...waiting, summary: "The agent asks: Which colour?", risk: "low", fields: [], decisions: [] },
  "hidden values": { ...waiting, decisions: ["deny"], notWhole: "some values are hidden" },
  "long values": { ...waiting, fields: [{ name: "body", text: "x".repeat(20_000) }] },
  "no deadline or address": { ...waiting, expiresAt: null, url: null, decisions: [], requesterName: null },
  "a sentence that is too long": { ...waiting, summary: "Refund ".repeat(300) },
  "no preview": { ...waiting, noPreview: "No preview: it took too long." },
  undoing: {
    ...waiting,
    undoes: { approvalId: "apr_0", text: "Undoes the request apr_0 (book). Ada asked for it" },
  },
  edited: ended("executed", "Approved with changes by Anna Weber. It ran. Requested: Refund 95 EUR"),
  approved: ended("approved", "Approved by Anna Weber"),
  done: ended("executed", "Approved by Anna Weber. It ran"),
  "may be undone": ended("executed", "Approved by Anna Weber. It ran", { undo }),
  "may be undone elsewhere": ended("executed", "It ran", { undo: { ...undo, offered: false } }),
  undone: ended("executed", "Approved by Anna Weber. It ran. Undone by Ada", {
    undo: { ...undo, possible: false, offered: false, undoneAt: at },
  }),
  failed: ended("failed", "Approved by Anna Weber. It ran and failed"),
  interrupted: ended("interrupted", "Approved by Anna Weber. It was interrupted and may have run"),
  denied: ended("denied", "Denied by Anna Weber"),
  answered: ended("responded", "Answered by Anna Weber"),
  expired: ended("expired", "Expired before anyone decided. It did not run"),
  withdrawn: ended("withdrawn", "Withdrawn by the program that requested it"),
  "only reported": ended("executed", "It ran", { verdict: "notify" }),
  "without an outcome": { ...ended("interrupted", ""), outcome: null },
};

const attempt: Omit<Delivery, "card"> = {
  ...{ id: "dlv_1", messageId: "dlv_1_1", event: "approval.pending", occurredAt: at, since: at, attempts: 0 },
  ...{ recipient: { id: "C0123456789", label: "#finance" }, reference: null },
};

const roundup = (changes: Partial<RoundupDelivery["roundup"]> = {}): RoundupDelivery => ({
  ...attempt,
  roundup: {
    ...{ tenantId: "acme", calls: 5, highRisk: 3, oldest: at, url: inbox },
    tools: [
      { name: "Refund", calls: 3, sum: "730.00 EUR + 20.00 USD", url: `${inbox}?q=tool:refund` },
      { name: "Email", calls: 1, sum: null, url: `${inbox}?q=tool:send_mail` },
      { name: "Pay supplier", calls: 1, sum: null, url: null },
    ],
    ...changes,
  },
});

/** Each text that Slack shows, without names of Slack's protocol. */
function slackTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(slackTexts);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    key === "text" && typeof part === "string" ? [part] : slackTexts(part),
  );
}

const mailTexts = (content: ReturnType<typeof mailContent>): string[] => [
  content.subject,
  plainText(content),
  html(content),
];

function messagesOf(card: Card): string[] {
  const events = [
    "approval.pending",
    "approval.reminded",
    "approval.escalated",
    "approval.assigned",
  ] as const;
  return [
    ...slackTexts(cardMessage(card)),
    ...slackTexts(cardMessage(card, { compact: true })),
    ...slackTexts(denyModal(card, card, { channel: "C1", ts: "1" })),
    ...events.flatMap((event) => {
      const delivery = { ...attempt, event, card };
      return [replyText(delivery) ?? "", ...mailTexts(mailContent(delivery, true, at))];
    }),
  ];
}

describe("what people read in Slack and in mails", () => {
  it.each(Object.entries(samples))("has words of the reader about a request: %s", (_name, card) => {
    const texts = messagesOf(card);
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter((text) => foreign.test(text))).toEqual([]);
  });

  it("has words of the reader about many requests", () => {
    const deliveries = [roundup(), roundup({ calls: 1, tools: [] })];
    const texts = deliveries.flatMap((one) => [
      ...slackTexts(roundupMessage(one)),
      ...mailTexts(roundupContent(one, true)),
    ]);
    expect(texts.filter((text) => foreign.test(text))).toEqual([]);
  });
});

describe("a roundup", () => {
  it("counts by the rules' labels, each in a line with its address", () => {
    const { text, blocks } = roundupMessage(roundup());
    expect(text).toBe("5 more waiting: 3 refunds · 730.00 EUR + 20.00 USD, 1 email, 1 × Pay supplier");
    expect(blocks).toContainEqual(
      expect.objectContaining({
        text: expect.objectContaining({ text: "3 refunds · 730.00 EUR + 20.00 USD" }),
        accessory: expect.objectContaining({ url: `${inbox}?q=tool:refund` }),
      }),
    );
    const mail = html(roundupContent(roundup(), true));
    expect(mail).toContain(`<a href="${inbox}?q=tool:refund">3 refunds · 730.00 EUR + 20.00 USD</a>`);
    expect(mailTexts(roundupContent(roundup(), false)).join()).not.toMatch(/EUR|USD/);
  });
});

describe("a mail", () => {
  it("says first what it is about, how risky it is, who decides and until when", () => {
    const { heading, summary, action, footer } = mailContent({ ...attempt, card: waiting }, true, at);
    expect([heading, summary]).toEqual([
      "Refund 240.00 EUR for order A-1005",
      "High risk · finance decides · until 12:30 UTC (30 min)",
    ]);
    expect(action).toBe("Review in the inbox");
    expect(footer).toContain("You get this because requests for finance are sent to this address.");
  });

  it.each([
    ["2026-11-22T12:29:30Z", "12:30 UTC"],
    ["2026-11-22T09:30:00Z", "12:30 UTC (3 h)"],
    ["2026-11-21T23:00:00Z", "22 Nov 2026, 12:30 UTC (13 h)"],
    ["2026-11-18T12:00:00Z", "22 Nov 2026, 12:30 UTC (4 days)"],
    ["2026-11-23T12:00:00Z", "22 Nov 2026, 12:30 UTC"],
  ])("sent at %s says how long people have: %s", (now, until) => {
    const { summary } = mailContent({ ...attempt, card: waiting }, true, new Date(now));
    expect(summary.endsWith(` · until ${until}`)).toBe(true);
  });
});

describe("a Slack message about a request that is over", () => {
  it.each([
    ["done", "✅ Refund 240.00 EUR for order A-1005 · Anna Weber: Wrong order"],
    ["edited", /Approved with changes by Anna Weber\. It ran\. Requested: Refund 95 EUR/],
    ["undone", /^↩️ .*Undone by Ada/],
    ["only reported", /Nobody was asked\. It ran/],
    ["without an outcome", /^⚠️ .* · Approved\. It was interrupted and may have run$/],
  ])("is one line without the arguments: %s", (name, line) => {
    const { text, blocks } = cardMessage(samples[name] ?? waiting);
    expect(text).toMatch(line);
    expect(slackTexts(blocks).filter((one) => one === "240.00 EUR")).toEqual([]);
    expect(blocks[0]).toMatchObject({ type: "section", accessory: { text: { text: "Open" } } });
  });

  it("has its arguments as long as people may undo it there", () => {
    expect(slackTexts(cardMessage(samples["may be undone"] ?? waiting))).toEqual(
      expect.arrayContaining([
        "240.00 EUR",
        "Undo",
        "✅ Refund 240.00 EUR for order A-1005 · Anna Weber: Wrong order",
      ]),
    );
  });
});
