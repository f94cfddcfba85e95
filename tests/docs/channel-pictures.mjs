// Pictures of what the channels send: the mail's own HTML, and the blocks of Slack's messages by a renderer of ours.
import { createServer } from "node:http";
import { email } from "countersign/email";
import { slack } from "countersign/slack";
import { slackPage } from "./slack-blocks.mjs";

const at = new Date("2026-01-15T12:00:00Z");
const inbox = "https://desk.example.com/inbox";

const card = {
  ...{ approvalId: "apr_k2", requestId: "req_1", tenantId: "acme", threadId: "thr_1", version: 3 },
  ...{
    status: "pending",
    open: true,
    summary: "Refund 240.00 EUR for order A-1005",
    toolName: "issue_refund",
  },
  ...{ agentName: "support", risk: "high", requester: "ada@example.com", assignee: null },
  approvers: { roles: ["finance"], ids: [] },
  reasons: ["Refunds above 100 EUR need finance"],
  fields: [
    { name: "orderId", text: "A-1005" },
    { name: "amount", text: "240.00" },
    { name: "note", text: "Broken on arrival" },
  ],
  ...{ hiddenFields: [], warnings: [], digest: "9f2c41d07be5a3f8".repeat(4) },
  expiresAt: new Date(at.getTime() + 1_800_000),
  quorum: { required: 1, approved: 0 },
  ...{ outcome: null, url: `${inbox}/approvals/apr_k2`, decisions: ["approve", "deny"] },
};
const closed = {
  ...card,
  ...{ version: 4, status: "executed", open: false, decisions: [] },
  outcome: { text: "Approved by finance-anna. It ran", decidedBy: "finance-anna", reason: null, at },
};
const digest = {
  ...{ tenantId: "acme", version: 1, open: 12, closed: 3, highRisk: 2, oldest: at, url: inbox },
  ...{ joinsForMs: 0, withinMs: 60_000 },
  tools: [
    { name: "issue_refund", calls: 9 },
    { name: "send_mail", calls: 3 },
  ],
  calls: [
    card,
    { ...card, summary: "Refund 180.00 EUR for order A-1009" },
    { ...card, risk: "medium", toolName: "send_mail", summary: "Send mail to bo@example.com: Your refund" },
  ].map((call) => ({ ...call, decisions: [] })),
};
const signal = new AbortController().signal;
const delivery = (changes) => ({
  ...{ id: "dlv_1", messageId: "dlv_1_1", event: "approval.pending", occurredAt: at, attempts: 0 },
  ...{ recipient: { id: "C0123456789", label: "#finance" }, reference: null, ...changes },
});

/** @param save Takes a page and a name, and saves a picture of the page. */
export async function takeChannelPictures(browser, save) {
  await pictureOf(
    "slack-card",
    slackPage(
      await slackMessages((channel) => [
        () => channel.send(delivery({ card }), signal),
        () => channel.send(delivery({ card: closed }), signal),
      ]),
    ),
    600,
  );
  await pictureOf(
    "slack-digest",
    slackPage(await slackMessages((channel) => [() => channel.sendDigest(delivery({ digest }), signal)])),
    600,
  );
  const recipient = { id: "finance@example.com", label: "finance@example.com" };
  await pictureOf("mail", await mail((channel) => channel.send(delivery({ card, recipient }), signal)), 700);
  await pictureOf(
    "mail-digest",
    await mail((channel) => channel.sendDigest(delivery({ digest, recipient }), signal)),
    700,
  );

  async function pictureOf(name, html, width) {
    const context = await browser.newContext({ viewport: { width, height: 100 } });
    const page = await context.newPage();
    await page.setContent(html);
    await save(page, name, { fullPage: true });
    await context.close();
  }
}

/** The blocks that Slack is sent, in order. */
async function slackMessages(send) {
  const messages = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const type = request.headers["content-type"] ?? "";
    const input = type.includes("json") ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    messages.push(typeof input.blocks === "string" ? JSON.parse(input.blocks) : input.blocks);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ ok: true, ts: "1768478400.000100", channel: "C0123456789" }));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const channel = slack({
      ...{ token: "xoxb-picture", signingSecret: "picture-secret", identify: () => null },
      apiUrl: `http://127.0.0.1:${server.address().port}/api/`,
    });
    for (const one of send(channel)) {
      const sent = await one();
      if (!sent.ok) throw new Error(sent.error);
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return messages;
}

/** The HTML part of the mail that a transport is handed. */
async function mail(send) {
  let html;
  const transport = {
    sendMail: async (composed) => {
      html = composed.html;
    },
  };
  const channel = email({
    transport,
    from: "approvals@example.com",
    recipients: { default: "finance@example.com" },
  });
  const sent = await send(channel);
  if (!sent.ok || html === undefined) throw new Error("There is no mail");
  return html;
}
