import { email } from "@countersign/channels/email";
import { slack } from "@countersign/channels/slack";
import { webhooks } from "@countersign/channels/webhooks";
import { ask, type Channel, CountersignError, type PolicyDefinition, type Principal } from "countersign";
import type { ChannelConfig } from "./channels/channel-config.js";
import { ConfigError } from "./config-error.js";

/** Slack, e-mail and a webhook, as far as they are configured. */
export function openChannels(
  { slack: app, email: mail, webhook }: ChannelConfig,
  personCalled: (id: string) => Principal | null,
): Channel[] {
  return [
    ...(app
      ? [
          named(slackVariables, () =>
            slack({
              token: app.token,
              signingSecret: app.signingSecret,
              channel: app.channel,
              ...(app.apiUrl !== undefined && { apiUrl: app.apiUrl }),
              identify: ({ id }) => personCalled(app.users[id] ?? ""),
            }),
          ),
        ]
      : []),
    ...(mail
      ? [
          named(mailVariables, () =>
            email({
              transport: mail.smtpUrl,
              from: mail.from,
              // The addresses of the roles and people who may decide.
              recipients: (_target, { approvers, assignee }) =>
                [...approvers.roles, ...approvers.ids, ...(assignee === null ? [] : [assignee])].flatMap(
                  (who) => mail.to[who] ?? [],
                ),
            }),
          ),
        ]
      : []),
    ...(webhook
      ? [
          named(webhookVariables, () =>
            webhooks({
              endpoints: [
                { id: "demo", url: webhook.url, secret: webhook.secret, allowPrivate: webhook.allowPrivate },
              ],
            }),
          ),
        ]
      : []),
  ];
}

/** The variable of each option. */
const slackVariables = {
  token: "SLACK_BOT_TOKEN",
  signingSecret: "SLACK_SIGNING_SECRET",
  channel: "SLACK_CHANNEL",
  apiUrl: "SLACK_API_URL",
};
const mailVariables = { transport: "SMTP_URL", from: "MAIL_FROM" };
const webhookVariables = {
  "endpoints.0.url": "WEBHOOK_URL",
  "endpoints.0.secret": "WEBHOOK_SECRET",
  "endpoints.0.allowPrivate": "WEBHOOK_ALLOW_PRIVATE",
};

/** Names the variable, and not the option, of which a channel says that it is wrong. */
function named(variables: Readonly<Record<string, string>>, open: () => Channel): Channel {
  try {
    return open();
  } catch (error) {
    if (!CountersignError.isInstance(error)) throw error;
    const [option = "", ...problem] = error.message.split(": ");
    const variable = Object.entries(variables).find(([name]) => `${option}.`.startsWith(`${name}.`))?.[1];
    throw new ConfigError([variable === undefined ? error.message : `${variable}: ${problem.join(": ")}`]);
  }
}

/** Tools whose calls are announced outside the inbox. */
const announced = ["issue_refund", "pay_supplier", "send_email", "call_customer"];
/** Tools whose calls people may also decide in Slack. For the others, messages only link to the inbox. */
const decidedInSlack = new Set(["issue_refund", "send_email"]);

/**
 * Rules in addition to those of the policy file: which channels to notify of a call, and where people may decide it.
 */
export function channelRules({ slack: app, email: mail }: ChannelConfig): PolicyDefinition | undefined {
  const channels = [...(app ? ["slack"] : []), ...(mail ? ["email"] : [])];
  if (channels.length === 0) return undefined;
  const termsOf = (tool: string) => ({
    notify: channels,
    ...(app && decidedInSlack.has(tool) && { decideIn: ["inbox", "slack"] }),
  });
  return { tools: Object.fromEntries(announced.map((tool) => [tool, ask(termsOf(tool))])) };
}
