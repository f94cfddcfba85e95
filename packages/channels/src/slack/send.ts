import type { Delivery, RoundupDelivery, Sent } from "countersign/types";
import { type Attempt, eventName } from "./attempt.js";
import { failed } from "./failed.js";
import { keepMessage } from "./keep-message.js";
import { mentionsIn, mentionsInRoundup } from "./mention.js";
import { cardMessage } from "./message/card-message.js";
import { roundupMessage } from "./message/roundup-message.js";
import { messageReferenceSchema } from "./message-reference.js";
import { recipientOf, targetFix } from "./recipients.js";
import { reply, replyText } from "./remind.js";
import type { SlackSettings } from "./settings.js";
import { SlackFailure } from "./slack-failure.js";

/** Posts a card, or updates the message that shows it. */
export function sendCard(settings: SlackSettings, delivery: Delivery, signal: AbortSignal): Promise<Sent> {
  const { api } = settings;
  return sent(delivery, async () => {
    const { card } = delivery;
    const mentions = await mentionsIn(settings, delivery);
    const content = {
      version: card.version,
      open: card.open,
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

/** Posts a roundup. It is a message of its own, also if there was one before: an update would notify nobody. */
export function sendRoundup(
  settings: SlackSettings,
  delivery: RoundupDelivery,
  signal: AbortSignal,
): Promise<Sent> {
  return sent(delivery, async () => {
    const { api } = settings;
    const mentions = mentionsInRoundup(settings, delivery.recipient);
    const content = { version: 1, open: true, render: () => roundupMessage(delivery, mentions) };
    const attempt = { ...delivery, id: delivery.messageId };
    const { place } = await keepMessage(api, attempt, content, undefined, signal);
    return { ok: true, reference: place };
  });
}

async function sent({ recipient }: Attempt, send: () => Promise<Sent>): Promise<Sent> {
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
