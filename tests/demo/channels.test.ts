import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { openMailServer } from "../channels/email/mail-server.js";
import { openReceiver } from "../channels/webhooks/receiver.js";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";
import { eventually } from "../support/harness.js";
import { takeWarning } from "../support/run/warnings.js";
import { startFakeSlack } from "../support/slack/fake-slack.js";
import { buttonsIn, textsIn } from "../support/slack/people.js";
import type { SignedRequest } from "../support/slack/signed-request.js";
import type { SlackMessage } from "../support/slack/workspace.js";

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/** Opens the demo with all of its channels, and a fake of the service behind each. */
async function openWithChannels() {
  const slack = await startFakeSlack();
  const room = slack.workspace.addChannel("finance");
  const ada = slack.workspace.addUser({ channels: [room] });
  const stranger = slack.workspace.addUser({ channels: [room] });
  const mail = await openMailServer();
  const hook = await openReceiver();
  const demo = await openDemo({
    SLACK_BOT_TOKEN: slack.token,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_CHANNEL: room.id,
    SLACK_API_URL: slack.apiUrl,
    SLACK_USERS: JSON.stringify({ [`${slack.workspace.team}:${ada.id}`]: "finance" }),
    SMTP_URL: mail.url,
    MAIL_FROM: "desk@example.com",
    MAIL_TO: JSON.stringify({ finance: "finance@example.com" }),
    WEBHOOK_URL: `${hook.url}/approvals`,
    WEBHOOK_SECRET: secret,
    WEBHOOK_ALLOW_PRIVATE: "1",
  });
  const send = ({ headers, body }: SignedRequest) =>
    fetch(`${demo.api}/channels/slack`, { method: "POST", headers, body });
  const webhookTypes = () =>
    hook.received.map(({ headers, body }) => {
      const event = new Webhook(secret).verify(body, headers as Record<string, string>);
      return (event as { type: string }).type;
    });
  return {
    ...{ demo, slack, ada, stranger, mail, send, webhookTypes },
    async [Symbol.asyncDispose]() {
      await demo[Symbol.asyncDispose]();
      await slack.close();
      await mail[Symbol.asyncDispose]();
      await hook[Symbol.asyncDispose]();
    },
  };
}

const card = ({ slack }: Awaited<ReturnType<typeof openWithChannels>>): Promise<SlackMessage> =>
  eventually(() => slack.workspace.messages[0], "a card in Slack");

const labels = ({ blocks }: SlackMessage) => buttonsIn(blocks).map(({ text }) => text.text);

async function requestRefund(demo: DemoWorld) {
  const threadId = await demo.say("Please refund order A-1001");
  return demo.waiting(threadId);
}

describe("the demo with channels", () => {
  it("asks in Slack, by email and by webhook, takes an approval from Slack, and reports the outcome to all", async () => {
    await using world = await openWithChannels();
    const { demo, slack, mail, ada, send, webhookTypes } = world;
    const approval = await requestRefund(demo);

    const message = await card(world);
    expect(textsIn(message.blocks).join("\n")).toContain("A-1001");
    expect(labels(message)).toEqual(expect.arrayContaining(["Approve", "Deny"]));
    const [first] = await eventually(() => (mail.arrived.length > 0 ? mail.arrived : undefined), "a mail");
    expect(first).toMatchObject({ to: ["finance@example.com"] });
    expect(first?.mail.text).toContain(`/inbox/`);

    expect((await send(slack.people.press(ada.id, "Approve", message))).status).toBe(200);
    await eventually(
      async () => (await demo.approval("finance", approval.id)).status === "executed" || undefined,
      "the refund to be paid",
    );
    expect(await demo.effectsOf(approval.id)).toHaveLength(1);
    await eventually(() => !labels(message).includes("Approve") || undefined, "the card to be closed");
    expect(textsIn(message.blocks).join("\n")).toMatch(/^✅ .* · Finance$/m);
    await eventually(() => mail.arrived.length >= 2 || undefined, "the mail about the end");
    expect(mail.arrived.at(-1)?.mail.inReplyTo).toBe(first?.mail.messageId);
    // Webhooks may arrive in another order than they were sent.
    const reported = ["approval.pending", "approval.decided", "approval.started", "approval.finished"];
    await eventually(
      () => reported.every((type) => webhookTypes().includes(type)) || undefined,
      "all webhooks",
    );
    const audit = await demo.audit(approval.id);
    expect(JSON.stringify(audit)).toContain('"via":"slack"');
  });

  it("closes the card after a decision in the inbox, and then ignores the card's old button", async () => {
    await using world = await openWithChannels();
    const { demo, slack, ada, send } = world;
    const approval = await requestRefund(demo);
    const message = await card(world);
    const stale = slack.people.press(ada.id, "Approve", message);

    await demo.decide("lead", approval, { type: "deny", reason: "Not this one" });
    await eventually(() => !labels(message).includes("Approve") || undefined, "the card to be closed");
    expect((await send(stale)).status).toBe(200);
    await eventually(() => slack.workspace.ephemerals[0], "words for the person who pressed");
    expect((await demo.approval("finance", approval.id)).status).toBe("denied");
    expect(await demo.effectsOf(approval.id)).toEqual([]);
  });

  it("accepts no decision from a stranger or with a forged signature", async () => {
    takeWarning(/a request in Slack's name was refused/);
    await using world = await openWithChannels();
    const { demo, slack, ada, stranger, send } = world;
    const approval = await requestRefund(demo);
    const message = await card(world);

    await send(slack.people.press(stranger.id, "Approve", message));
    await eventually(() => slack.workspace.ephemerals[0], "words for the stranger");
    const { headers, body } = slack.people.press(ada.id, "Approve", message);
    const forged = { ...headers, "x-slack-signature": `v0=${"0".repeat(64)}` };
    const refused = await fetch(`${demo.api}/channels/slack`, { method: "POST", headers: forged, body });
    expect(refused.status).toBe(401);
    expect((await demo.approval("finance", approval.id)).status).toBe("pending");
  });
});
