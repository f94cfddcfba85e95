/** Approvals in Slack: `@countersign/channels/slack`. Needs `@slack/web-api`. */
export type { Channel } from "countersign";
export type { Card, ChannelIdentity, Identify } from "countersign/types";
export type { RoundupOption } from "./roundup-option.js";
export type { SlackMention } from "./slack/mention.js";
export type { SlackOptions } from "./slack/options.js";
export type { SlackRecipients } from "./slack/recipients.js";
export { slack } from "./slack/slack-channel.js";
