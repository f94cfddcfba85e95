/** Approvals in Slack: `countersign/slack`. Needs `@slack/web-api`. */
export type { Card, Channel, ChannelIdentity, Identify } from "./channel/channel.js";
export type { RoundupOption } from "./channels/roundup-option.js";
export type { SlackMention } from "./channels/slack/mention.js";
export type { SlackOptions } from "./channels/slack/options.js";
export type { SlackRecipients } from "./channels/slack/recipients.js";
export { slack } from "./channels/slack/slack-channel.js";
