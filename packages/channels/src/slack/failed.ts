import type { Sent } from "countersign/types";
import type { SlackFailure } from "./slack-failure.js";

const reinstall = "reinstall the app in the workspace and set its new bot token";
const invite = "invite the app to the channel with /invite, or correct the channel in the rule";

/** What an operator must do about one conversation or message. Another attempt would fail in the same way. */
const fixesOfTarget: Readonly<Record<string, string>> = {
  channel_not_found: `Slack does not know the channel, or it is private and the app is not in it: ${invite}`,
  not_in_channel: `the app is not in the channel: ${invite}, or give the app the scope chat:write.public`,
  is_archived: "the channel is archived: unarchive it, or correct the channel in the rule",
  restricted_action: "the workspace does not let apps post in this channel: change who may post in it",
  restricted_action_read_only_channel: "the channel is read-only: change who may post in it",
  posting_to_general_channel_denied: "the workspace does not let apps post in #general: use another channel",
  user_not_found: "Slack does not know the person: correct the user id in the rule",
  users_not_found: "Slack does not know the person: correct the user id in the rule",
  user_disabled: "the person's account is deactivated: correct the user id in the rule",
  cannot_dm_bot: "the recipient is a bot: name a person or a channel in the rule",
  cant_update_message: "the message belongs to another app or installation, so it cannot be updated",
  edit_window_closed: "the workspace does not let the app update a message of this age",
  invalid_blocks: "Slack refused the message's blocks",
  msg_blocks_too_long: "Slack refused the message as too long",
  msg_too_long: "Slack refused the message as too long",
};

/** What an operator must do about the app. Every message fails until then, so all of them are tried again. */
const fixesOfApp: Readonly<Record<string, string>> = {
  invalid_auth: "Slack refused the token: set the bot token of the installed app",
  not_authed: "Slack got no token: set the bot token of the installed app",
  account_inactive: `the app was uninstalled or its bot user removed: ${reinstall}`,
  token_revoked: `the token was revoked: ${reinstall}`,
  token_expired: "the token has expired: set a bot token without rotation",
  not_allowed_token_type: "the token is of the wrong type: set the bot token, which starts with xoxb-",
  missing_scope: "the app lacks a scope: add it under OAuth & Permissions and reinstall the app",
  no_permission: "the app lacks a permission: compare its scopes with the manifest and reinstall it",
  access_denied: "Slack denied access: compare the app's scopes with the manifest and reinstall it",
  ekm_access_denied: "the workspace's administrators have suspended posting",
  team_access_not_granted: "the app is not installed in this workspace: install it there",
};

/** Answers to a message that a shorter one may avoid. */
export const tooLong = ["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"];

/** Slack no longer has the message, or no longer lets the app change it. */
export const gone = ["message_not_found", "cant_update_message", "edit_window_closed"];

const temporary: Readonly<Record<string, string>> = {
  ratelimited: "Slack limits the rate of messages",
  rate_limited: "Slack limits the rate of messages",
  unreachable: "Slack cannot be reached: check the network, the proxy and the name server",
  unavailable: "a server between here and Slack answered that Slack is not available",
};

/** Slack may have done what it was asked to do. */
const unclear: Readonly<Record<string, string>> = {
  timeout: "Slack did not answer in time",
  disconnected: "the connection to Slack broke before the answer",
  unexpected_answer: "the answer is not one of Slack's: check proxies, and the option apiUrl",
};

function unclearWords(code: string): string | undefined {
  return unclear[code] ?? (/^http_5\d\d$/.test(code) ? "Slack had an internal error" : undefined);
}

/** The failure for the delivery's row, with a text for operators. */
export function failed(failure: SlackFailure, recipient: string): Sent & { ok: false } {
  const { code, retryAfterMs, needed } = failure;
  const fix = fixesOfTarget[code];
  const doubt = unclearWords(code);
  const text = fix ?? fixesOfApp[code] ?? temporary[code] ?? doubt ?? "Slack failed";
  const scopes = needed === undefined ? "" : ` (${needed})`;
  return {
    ok: false,
    error: `${recipient}: ${text}${scopes} [${code}]`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(fix !== undefined && { permanent: true }),
    ...(doubt !== undefined && { uncertain: true }),
  };
}
