import type { Channel } from "countersign";
import { checkSlackOptions, type SlackOptions } from "./options.js";
import { receiveFromSlack } from "./receive/receive.js";
import { recipientsOf } from "./recipients.js";
import { sendCard, sendRoundup } from "./send.js";
import type { SlackSettings } from "./settings.js";
import { SlackApi } from "./slack-api.js";

/**
 * The recipient of a rule without a target if no default channel is set. Its delivery fails, so that operators see the
 * problem.
 */
const noTarget = "no channel";

/**
 * Shows approvals in Slack and lets people approve and deny there, by the same checks as in the inbox. Rules name it as
 * `"slack:#finance"`, `"slack:@U0123456789"`, or `"slack"` for the option `channel`. Needs `@slack/web-api`.
 *
 * @throws CountersignError `invalid_option` naming the option.
 *
 * @example
 * ```ts
 * import type { Principal } from "countersign";
 * import { slack } from "@countersign/channels/slack";
 *
 * declare function employeeBySlackId(team: string, user: string): Promise<Principal | null>;
 *
 * export const channel = slack({
 *   token: process.env.SLACK_BOT_TOKEN ?? "",
 *   signingSecret: process.env.SLACK_SIGNING_SECRET ?? "",
 *   team: "T0123456789",
 *   channel: "#approvals",
 *   identify: ({ attributes: { team = "", user = "" } }) => employeeBySlackId(team, user),
 * });
 * ```
 */
export function slack(options: SlackOptions): Channel {
  const checked = checkSlackOptions(options);
  const settings: SlackSettings = { ...checked, api: new SlackApi(checked) };
  const { name } = settings;
  return {
    name,
    mode: "card",
    recipients: async (target, card) =>
      recipientsOf((await settings.recipients?.(target, card)) ?? [target ?? settings.channel ?? noTarget]),
    send: (delivery, signal) => sendCard(settings, delivery, signal),
    roundup: settings.roundup,
    sendRoundup: (delivery, signal) => sendRoundup(settings, delivery, signal),
    receive: (request, gate) => receiveFromSlack(settings, request, gate),
  };
}
