import { describe, expect, it } from "vitest";
import { readConfig } from "../config.js";
import { ConfigError } from "../config-error.js";

function linesFor(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.lines;
    throw error;
  }
  return [];
}

describe("readConfig for channels", () => {
  it("turns on each channel whose variables are all set", () => {
    const { channels } = readConfig({
      SLACK_BOT_TOKEN: "xoxb-1",
      SLACK_SIGNING_SECRET: "signing",
      SLACK_CHANNEL: "C1",
      SLACK_API_URL: "http://127.0.0.1:9000/api/",
      SLACK_USERS: '{"T1:U1": "finance"}',
      SMTP_URL: "smtp://127.0.0.1:1025",
      MAIL_FROM: "desk@example.com",
      MAIL_TO: '{"finance": "finance@example.com"}',
      WEBHOOK_URL: "http://127.0.0.1:9001/hook",
      WEBHOOK_SECRET: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      WEBHOOK_ALLOW_PRIVATE: "1",
    });

    expect(channels).toEqual({
      slack: {
        token: "xoxb-1",
        signingSecret: "signing",
        channel: "C1",
        apiUrl: "http://127.0.0.1:9000/api/",
        users: { "T1:U1": "finance" },
      },
      email: {
        smtpUrl: "smtp://127.0.0.1:1025",
        from: "desk@example.com",
        to: { finance: "finance@example.com" },
      },
      webhook: {
        url: "http://127.0.0.1:9001/hook",
        secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        allowPrivate: true,
      },
    });
  });

  it("names every variable that a channel still needs", () => {
    expect(linesFor({ SLACK_BOT_TOKEN: "xoxb-1", SMTP_URL: "smtp://localhost" })).toEqual([
      "SLACK_SIGNING_SECRET must be set. Slack needs it together with SLACK_BOT_TOKEN.",
      "SLACK_CHANNEL must be set. Slack needs it together with SLACK_BOT_TOKEN.",
      "MAIL_FROM must be set. E-mail needs it together with SMTP_URL.",
      "MAIL_TO must be set. E-mail needs it together with SMTP_URL.",
    ]);
  });

  it.each([
    [{ SLACK_USERS: "T1:U1" }, 'SLACK_USERS="T1:U1" must be a JSON object'],
    [{ MAIL_TO: '["finance"]' }, 'MAIL_TO="["finance"]" must be a JSON object'],
    [{ WEBHOOK_ALLOW_PRIVATE: "yes" }, 'WEBHOOK_ALLOW_PRIVATE="yes" must be 0 or 1'],
    [{ SMTP_URL: "http://localhost" }, "SMTP_URL must be an smtp:// or smtps:// URL"],
  ])("refuses %o with the variable's name and an example", (env, expected) => {
    const [line] = linesFor(env);
    expect(line).toContain(expected);
    expect(line).toContain("For example: ");
  });

  it("does not print a secret", () => {
    const lines = linesFor({ WEBHOOK_SECRET: "not-a-secret-format" });
    expect(lines.join()).toContain("must begin with whsec_");
    expect(lines.join()).not.toContain("not-a-secret-format");
  });
});
