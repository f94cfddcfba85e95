import type { ChannelReference, Delivery, Sent } from "../channel.js";
import type { DigestDelivery, DigestSent } from "../digest.js";
import { type Attempt, eventName } from "./attempt.js";
import { failed, isUnclear, SlackDidNotAnswer } from "./failed.js";
import { keepMessage } from "./keep-message.js";
import { cardMessage } from "./message/card-message.js";
import { digestMessage, digestTitle } from "./message/digest-message.js";
import { digestPlaceSchema, placeSchema } from "./place.js";
import { recipientOf, targetFix } from "./recipients.js";
import { cardReminder, reply } from "./remind.js";
import type { SlackApi } from "./slack-api.js";
import { SlackFailure } from "./slack-failure.js";

/** Posts a card, or updates the message that shows it. */
export function sendCard(api: SlackApi, delivery: Delivery, signal: AbortSignal): Promise<Sent> {
  return sent(delivery, async () => {
    const { card, event } = delivery;
    const content = {
      ...{ version: card.version, open: card.open },
      render: (size: { compact: boolean }) => cardMessage(card, size),
    };
    const known = placeSchema.safeParse(delivery.reference).data;
    const { place, did } = await keepMessage(api, delivery, content, known, signal);
    const calls = event === "approval.reminded" || event === "approval.escalated";
    if (!calls || did !== "updated" || !card.open || place.reminded === eventName(delivery)) return place;
    await reply(api, place, cardReminder(delivery), card.url, signal);
    return { ...place, reminded: eventName(delivery) };
  });
}

/** Posts a digest, or updates the message that shows it. An update notifies nobody, so reminders reply to it. */
export function sendDigest(
  api: SlackApi,
  delivery: DigestDelivery,
  signal: AbortSignal,
): Promise<DigestSent> {
  return sent(delivery, async () => {
    const { digest, event, occurredAt } = delivery;
    const content = {
      ...{ version: digest.version, open: digest.open > 0 },
      render: (size: { compact: boolean }) => digestMessage(digest, size),
    };
    const known = digestPlaceSchema.safeParse(delivery.reference).data;
    const { place, did } = await keepMessage(api, delivery, content, known, signal);
    const at = occurredAt.getTime();
    if (did === "posted") return { ...place, notifiedAt: at };
    const notifiedAt = known?.notifiedAt ?? 0;
    const calls = event === "approval.reminded" || event === "approval.escalated";
    const isDue = calls && digest.open > 0 && at - notifiedAt >= digest.withinMs;
    if (!isDue || did !== "updated") return { ...place, notifiedAt };
    const word = event === "approval.escalated" ? "Escalated" : "Reminder";
    await reply(api, place, `${word}: ${digestTitle(digest)}.`, digest.url, signal);
    return { ...place, notifiedAt: at };
  });
}

async function sent({ recipient }: Attempt, send: () => Promise<ChannelReference>): Promise<Sent> {
  if (recipientOf(recipient.id) === null) {
    return {
      ok: false,
      error: `${recipient.label}: the target of the rule ${targetFix}`,
      permanent: true,
    };
  }
  try {
    return { ok: true, reference: await send() };
  } catch (error) {
    if (!(error instanceof SlackFailure)) throw error;
    // A thrown error tells the sender that the message may be there, so that it is closed later in any case.
    if (isUnclear(error)) throw new SlackDidNotAnswer(error);
    return failed(error, recipient.label);
  }
}
