// Pictures of what the channels send: the mail's own HTML, and the blocks of Slack's messages by a renderer of ours.
import { createServer } from "node:http";
import { email } from "@countersign/channels/email";
import { slack } from "@countersign/channels/slack";
import { attempt, closedCard, pendingCard, roundupAttempt } from "./pictured-calls.mjs";
import { slackPage } from "./slack-blocks.mjs";

const signal = new AbortController().signal;

/** @param save Takes a page and a name, and saves a picture of the page. */
export async function takeChannelPictures(browser, save) {
  await pictureOf(
    "slack-card",
    slackPage(
      await slackMessages((channel) => [
        () => channel.send({ ...attempt, card: pendingCard }, signal),
        () => channel.send({ ...attempt, card: closedCard }, signal),
      ]),
    ),
    600,
  );
  await pictureOf(
    "slack-roundup",
    slackPage(await slackMessages((channel) => [() => channel.sendRoundup(roundupAttempt, signal)])),
    600,
  );
  const recipient = { id: "finance@example.com", label: "finance@example.com" };
  await pictureOf(
    "mail",
    await mail((channel) => channel.send({ ...attempt, card: pendingCard, recipient }, signal)),
    700,
  );
  await pictureOf(
    "mail-roundup",
    await mail((channel) => channel.sendRoundup({ ...roundupAttempt, recipient }, signal)),
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
