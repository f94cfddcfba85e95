import { ask, type Channel, type PolicyDefinition, type Principal } from "countersign";
import { email } from "countersign/email";
import { slack } from "countersign/slack";
import { webhooks } from "countersign/webhooks";
import type { ChannelConfig } from "./channels/channel-config.js";

/** Slack, e-mail and a webhook, as far as they are configured. */
export function openChannels(
  { slack: app, email: mail, webhook }: ChannelConfig,
  personCalled: (id: string) => Principal | null,
): Channel[] {
  return [
    ...(app
      ? [
          slack({
            token: app.token,
            signingSecret: app.signingSecret,
            channel: app.channel,
            ...(app.apiUrl !== undefined && { apiUrl: app.apiUrl }),
            identify: ({ id }) => personCalled(app.users[id] ?? ""),
          }),
        ]
      : []),
    ...(mail
      ? [
          email({
            transport: mail.smtpUrl,
            from: mail.from,
            // The addresses of the roles and people who may decide.
            recipients: (_target, { approvers, assignee }) =>
              [...approvers.roles, ...approvers.ids, ...(assignee === null ? [] : [assignee])].flatMap(
                (who) => mail.to[who] ?? [],
              ),
          }),
        ]
      : []),
    ...(webhook
      ? [
          webhooks({
            endpoints: [
              { id: "demo", url: webhook.url, secret: webhook.secret, allowPrivate: webhook.allowPrivate },
            ],
          }),
        ]
      : []),
  ];
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
