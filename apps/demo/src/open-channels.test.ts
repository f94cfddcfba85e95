import { expect, it } from "vitest";
import { readConfig } from "./config.js";
import { openChannels } from "./open-channels.js";

const slack = {
  SLACK_BOT_TOKEN: "xoxb-1-token",
  SLACK_SIGNING_SECRET: "8f742231b10e",
  SLACK_CHANNEL: "#all",
};
const mail = {
  SMTP_URL: "smtp://localhost",
  MAIL_FROM: "a@example.com",
  MAIL_TO: '{"finance":"f@example.com"}',
};
const webhook = { WEBHOOK_URL: "https://example.com", WEBHOOK_SECRET: `whsec_${"A".repeat(43)}=` };

it.each([
  ["SLACK_CHANNEL", { ...slack, SLACK_CHANNEL: "finance" }],
  ["SLACK_BOT_TOKEN", { ...slack, SLACK_BOT_TOKEN: "short" }],
  ["MAIL_FROM", { ...mail, MAIL_FROM: "nobody" }],
  ["WEBHOOK_SECRET", { ...webhook, WEBHOOK_SECRET: "whsec_AAAA" }],
])("an error about a channel names the variable %s", (variable, env) => {
  const open = () => openChannels(readConfig(env).channels, () => null);
  expect(open).toThrow(expect.objectContaining({ name: "ConfigError" }));
  expect(open).toThrow(new RegExp(`^${variable}: `));
});
