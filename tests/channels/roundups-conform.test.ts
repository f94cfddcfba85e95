import { email } from "@countersign/channels/email";
import { slack } from "@countersign/channels/slack";
import { type ChannelUnderTest, channelConformance } from "@countersign/testing";
import { describe, expect, it } from "vitest";
import { startFakeSlack } from "../support/slack/fake-slack.js";
import { openMailServer } from "./email/mail-server.js";

async function openSlack(): Promise<ChannelUnderTest> {
  const fake = await startFakeSlack();
  const { token, signingSecret, apiUrl, workspace } = fake;
  const { id: target } = workspace.addChannel("finance");
  return {
    channel: slack({ token, signingSecret, apiUrl, identify: () => null }),
    target,
    seen: () =>
      workspace.messages.map(({ blocks }) => ({
        text: JSON.stringify(blocks),
        buttons: JSON.stringify(blocks).includes("countersign_approve") ? ["approve"] : [],
      })),
    secrets: [token, signingSecret],
    close: () => fake.close(),
  };
}

async function openMail(): Promise<ChannelUnderTest> {
  const server = await openMailServer();
  return {
    channel: email({
      ...{ transport: server.url, from: "approvals@example.com" },
      recipients: { default: "finance@example.com" },
    }),
    seen: () => server.arrived.map(({ mail }) => ({ text: mail.text ?? "", buttons: [] })),
    close: () => server[Symbol.asyncDispose](),
  };
}

describe.each([
  ["Slack", openSlack],
  ["e-mail", openMail],
])("the roundups of %s", (_, open) => {
  const checks = channelConformance(open).filter(({ name }) => name.startsWith("a roundup"));
  it.each(checks)("$name", ({ run }) => run());
  it("are covered by a check of channelConformance", () => expect(checks).toHaveLength(1));
});
