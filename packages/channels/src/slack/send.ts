import type { Delivery, Sent } from "countersign";
import type { RoundupDelivery, RoundupSent } from "countersign/types";
import { newsOf } from "../roundup-news.js";
import { type Attempt, eventName } from "./attempt.js";
import { failed } from "./failed.js";
import { keepMessage } from "./keep-message.js";
import { mentionsIn } from "./mention.js";
import { cardMessage } from "./message/card-message.js";
import { roundupMessage, roundupNews } from "./message/roundup-message.js";
import { messageReferenceSchema } from "./message-reference.js";
import { recipientOf, targetFix } from "./recipients.js";
import { reply, replyText } from "./remind.js";
import { retireReplaced } from "./replaced.js";
import type { SlackSettings } from "./settings.js";
import type { SlackApi } from "./slack-api.js";
import { SlackFailure } from "./slack-failure.js";

/** Posts a card, or updates the message that shows it. */
export function sendCard(settings: SlackSettings, delivery: Delivery, signal: AbortSignal): Promise<Sent> {
  const { api } = settings;
  return sent<Sent>(delivery, async () => {
    const { card } = delivery;
    const mentions = await mentionsIn(settings, delivery);
    const content = {
      version: card.version,
      open: card.open,
      calls: null,
      render: (size: { compact: boolean }) => cardMessage(card, { ...size, mentions }),
    };
    const known = messageReferenceSchema.safeParse(delivery.reference).data;
    const { place, did } = await keepMessage(api, delivery, content, known, signal);
    const text = replyText(delivery);
    if (text === null || did !== "updated" || place.reminded === eventName(delivery))
      return { ok: true, reference: place };
    await reply(api, place, { text, url: card.url, mentions }, signal);
    return { ok: true, reference: { ...place, reminded: eventName(delivery) } };
  });
}

/**
 * Posts a roundup, or updates its message. An update notifies nobody, so a reply announces calls that joined and
 * reminders. There is at most one reply within `withinMs`; what happens earlier waits until then.
 */
export function sendRoundup(
  api: SlackApi,
  delivery: RoundupDelivery,
  signal: AbortSignal,
): Promise<RoundupSent> {
  return sent<RoundupSent>(delivery, async () => {
    const { roundup } = delivery;
    const calls = roundup.open + roundup.closed;
    const content = {
      version: roundup.version,
      open: roundup.open > 0,
      calls,
      render: (size: { compact: boolean }) => roundupMessage(roundup, size),
    };
    const known = messageReferenceSchema.safeParse(delivery.reference).data;
    const { place, did } = await keepMessage(api, delivery, content, known, signal);
    await retireReplaced(api, delivery, place, signal);
    const notified = { ...place, notifiedCalls: calls, notifiedJoinsForMs: roundup.joinsForMs };
    if (did === "posted") return { ok: true, reference: notified };
    // A card that has become a roundup has notified people of one call.
    const told = { calls: place.notifiedCalls ?? 1, joinsForMs: place.notifiedJoinsForMs };
    const reference = { ...place, notifiedCalls: told.calls };
    const news = did === "updated" ? newsOf(delivery, told) : null;
    if (news === null) return { ok: true, reference };
    if ("againInMs" in news) return { ok: true, reference, againInMs: news.againInMs };
    const { text, blocks } = roundupNews(roundup, news);
    await reply(api, place, { text, url: roundup.url }, signal, blocks);
    return { ok: true, reference: notified };
  });
}

async function sent<T>({ recipient }: Attempt, send: () => Promise<T>): Promise<T | Sent> {
  if (recipientOf(recipient.id) === null) {
    return {
      ok: false,
      error: `${recipient.label}: the target of the rule ${targetFix}`,
      permanent: true,
    };
  }
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    return failed(error, recipient.label);
  }
}
