import type { Delivery } from "../channel.js";
import { actionIds, actions, linkButton } from "./message/action-blocks.js";
import { type Block, section } from "./message/blocks.js";
import { escapeMarkup, fit, shownText, withVisibleEnds } from "./message/plain-text.js";
import type { Place } from "./place.js";
import { anyAnswer, type SlackApi } from "./slack-api.js";

const maxSummary = 1000;

/** What a reminder of one call says. */
export function cardReminder({ card, event }: Delivery): string {
  const word = event === "approval.escalated" ? "Escalated" : "Reminder";
  const sentence = fit(withVisibleEnds(shownText(card.summary)), maxSummary).text;
  return `${word}: still waiting for a decision. ${sentence}`;
}

/** Replies to a message where the whole channel sees it, because an update notifies nobody. */
export async function reply(
  api: SlackApi,
  place: Place,
  text: string,
  url: string | null,
  signal: AbortSignal,
  more: readonly Block[] = [],
): Promise<void> {
  await api.call(
    "chat.postMessage",
    {
      channel: place.channel,
      thread_ts: place.ts,
      reply_broadcast: true,
      text: escapeMarkup(text),
      blocks: [section(text), ...more, ...actions(linkButton(actionIds.open, "Open", url))],
      ...{ unfurl_links: false, unfurl_media: false, mrkdwn: false, parse: "none", link_names: false },
    },
    anyAnswer,
    signal,
  );
}
