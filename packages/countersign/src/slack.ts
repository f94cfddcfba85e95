/** Approvals in Slack: `countersign/slack`. Needs `@slack/web-api`. */
export type { Channel, ChannelIdentity, Identify } from "./channels/channel.js";
export type { DigestOption } from "./channels/digest-option.js";
export type { SlackOptions } from "./channels/slack/options.js";
export { slack } from "./channels/slack/slack-channel.js";
