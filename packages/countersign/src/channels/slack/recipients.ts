import type { Recipient } from "../channel.js";

/** A conversation by id (C public, G private, D direct), a person by id, or a channel by name. */
const conversationId = /^[CGD][A-Z0-9]{6,20}$/;
const userId = /^@?([UW][A-Z0-9]{6,20})$/;
const channelName = /^#[^\s#@<>&,.!?:;"'`]{1,80}$/u;

/** What a target must be. */
export const targetFix = `must be a channel such as "#finance" or "C0123456789", or a person's id such as "@U0123456789"`;

/** Null for a target that Slack cannot know. */
export function recipientOf(target: string): Recipient | null {
  const [, user] = userId.exec(target) ?? [];
  if (user !== undefined) return { id: user, label: `@${user}` };
  if (conversationId.test(target) || channelName.test(target)) return { id: target, label: target };
  return null;
}

/** Whether the recipient is a person, to whom a direct message must be opened. */
export const isPerson = ({ id }: Recipient): boolean => userId.test(id);
