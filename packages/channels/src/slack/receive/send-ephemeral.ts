import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import * as z from "zod";
import { actionIds, actions, linkButton } from "../message/action-blocks.js";
import { section } from "../message/blocks.js";
import { escapeMarkup, shownText } from "../message/plain-text.js";
import type { SlackSettings } from "../settings.js";
import { anyAnswer } from "../slack-api.js";
import { SlackFailure } from "../slack-failure.js";

const maxText = 2000;
const opened = z.object({ channel: z.object({ id: z.string() }) });
/** Errors that mean that Slack cannot show this person anything in that conversation. */
const elsewhere = ["user_not_in_channel", "not_in_channel", "channel_not_found", "is_archived"];

/**
 * Sends a message that only one person sees: in the conversation or, if that is impossible, as a direct message. Never
 * throws, because what the message reports has already happened.
 */
export async function sendEphemeral(
  settings: SlackSettings,
  to: { channel: string | undefined; user: string },
  words: string,
  { link = false } = {},
): Promise<void> {
  const { api, linkUrl, logger, name } = settings;
  const text = shownText(words, maxText).text;
  const buttons = link ? linkButton(actionIds.link, "Link your account", linkUrl) : [];
  const message = { text: escapeMarkup(text), blocks: [section(text), ...actions(buttons)], parse: "none" };
  try {
    if (to.channel !== undefined) {
      try {
        await api.call("chat.postEphemeral", { channel: to.channel, user: to.user, ...message }, anyAnswer);
        return;
      } catch (error) {
        if (!SlackFailure.is(error, ...elsewhere)) throw error;
      }
    }
    const { channel } = await api.call("conversations.open", { users: to.user }, opened);
    await api.call("chat.postMessage", { channel: channel.id, ...message }, anyAnswer);
  } catch (error) {
    const code = error instanceof SlackFailure ? error.code : nameOfThrown(error);
    logger.warn("a person in Slack got no answer", { channel: name, error: code });
  }
}
