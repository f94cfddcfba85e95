import type { Card, Delivery, DeliveryEvent } from "countersign/types";
import { actionIds, actions, linkButton } from "./message/action-blocks.js";
import { mentionBlocks, section } from "./message/blocks.js";
import { escapeMarkup, shownText } from "./message/plain-text.js";
import type { MessageReference } from "./message-reference.js";
import { anyAnswer, type SlackApi } from "./slack-api.js";

const maxSummary = 1000;
const maxNames = 300;

/** What a reply about one call says, because an update of its message notifies nobody; null for other events. */
export function replyText({ card, event }: Delivery): string | null {
  const news = newsOf(event, card);
  return news === null ? null : `${news}. ${shownText(card.summary, maxSummary).text}`;
}

function newsOf(event: DeliveryEvent, { open, assigneeName, escalatedTo }: Card): string | null {
  if (!open) return null;
  const by = assigneeName === null ? "" : ` by ${short(assigneeName)}`;
  switch (event) {
    case "approval.reminded":
      return `Reminder: still waiting for a decision${by}`;
    case "approval.escalated":
      return `Escalated${escalatedTo === null ? "" : ` to ${short(escalatedTo)}`}: still waiting for a decision${by}`;
    case "approval.assigned":
      return assigneeName === null ? null : `Assigned to ${short(assigneeName)}: a decision is needed`;
    default:
      return null;
  }
}

const short = (text: string): string => shownText(text, maxNames).text;

/** Replies to a message where the whole channel sees it, because an update notifies nobody. */
export async function reply(
  api: SlackApi,
  place: MessageReference,
  { text, url, mentions }: { text: string; url: string | null; mentions: string },
  signal: AbortSignal,
): Promise<void> {
  await api.call(
    "chat.postMessage",
    {
      channel: place.channel,
      thread_ts: place.ts,
      reply_broadcast: true,
      text: escapeMarkup(text),
      blocks: [
        ...mentionBlocks(mentions),
        section(text),
        ...actions(linkButton(actionIds.open, "Open", url)),
      ],
      unfurl_links: false,
      unfurl_media: false,
      mrkdwn: false,
      parse: "none",
      link_names: false,
    },
    anyAnswer,
    signal,
  );
}
