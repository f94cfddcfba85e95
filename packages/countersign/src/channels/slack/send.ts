import type { Delivery, Sent } from "../channel.js";
import type { DigestDelivery, DigestSent } from "../digest.js";
import { type Attempt, eventName } from "./attempt.js";
import { failed, isUnclear, SlackDidNotAnswer } from "./failed.js";
import { keepMessage } from "./keep-message.js";
import { mentionsIn } from "./mention.js";
import { cardMessage } from "./message/card-message.js";
import { digestMessage, digestTitle } from "./message/digest-message.js";
import { digestPlaceSchema, placeSchema } from "./place.js";
import { recipientOf, targetFix } from "./recipients.js";
import { reply, replyText } from "./remind.js";
import type { SlackSettings } from "./settings.js";
import type { SlackApi } from "./slack-api.js";
import { SlackFailure } from "./slack-failure.js";

/**
 * A digest does not post a reminder this soon after a notification: calls that were announced together are also
 * reminded together.
 */
const sameTimeMs = 10_000;

/** Posts a card, or updates the message that shows it. */
export function sendCard(settings: SlackSettings, delivery: Delivery, signal: AbortSignal): Promise<Sent> {
  const { api } = settings;
  return sent<Sent>(delivery, async () => {
    const { card } = delivery;
    const mentions = await mentionsIn(settings, delivery);
    const content = {
      ...{ version: card.version, open: card.open },
      render: (size: { compact: boolean }) => cardMessage(card, { ...size, mentions }),
    };
    const known = placeSchema.safeParse(delivery.reference).data;
    const { place, did } = await keepMessage(api, delivery, content, known, signal);
    const text = replyText(delivery);
    if (text === null || did !== "updated" || place.reminded === eventName(delivery))
      return { ok: true, reference: place };
    await reply(api, place, { text, url: card.url, mentions }, signal);
    return { ok: true, reference: { ...place, reminded: eventName(delivery) } };
  });
}

/**
 * Posts a digest, or updates its message. An update notifies nobody, so a reply announces calls that joined and
 * reminders. There is at most one reply within `withinMs`; what happens earlier waits until then.
 */
export function sendDigest(
  api: SlackApi,
  delivery: DigestDelivery,
  signal: AbortSignal,
): Promise<DigestSent> {
  return sent<DigestSent>(delivery, async () => {
    const { digest, event } = delivery;
    const content = {
      ...{ version: digest.version, open: digest.open > 0 },
      render: (size: { compact: boolean }) => digestMessage(digest, size),
    };
    const known = digestPlaceSchema.safeParse(delivery.reference).data;
    const { place, did } = await keepMessage(api, delivery, content, known, signal);
    const calls = digest.open + digest.closed;
    const notified = { ...place, notifiedCalls: calls, notifiedJoinsForMs: digest.joinsForMs };
    if (did === "posted") return { ok: true, reference: notified };
    const notifiedCalls = known?.notifiedCalls ?? calls;
    const notifiedJoinsForMs = known?.notifiedJoinsForMs ?? null;
    const reference = { ...place, notifiedCalls, notifiedJoinsForMs };
    const sinceMs = notifiedJoinsForMs === null ? digest.withinMs : notifiedJoinsForMs - digest.joinsForMs;
    const reminds = event === "approval.reminded" || event === "approval.escalated";
    const isNew = calls > notifiedCalls || (reminds && sinceMs >= Math.min(sameTimeMs, digest.withinMs));
    if (!isNew || digest.open === 0 || did !== "updated") return { ok: true, reference };
    if (sinceMs < digest.withinMs) return { ok: true, reference, againInMs: digest.withinMs - sinceMs };
    const word = !reminds ? "Further calls" : event === "approval.escalated" ? "Escalated" : "Reminder";
    await reply(api, place, { text: `${word}: ${digestTitle(digest)}.`, url: digest.url }, signal);
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
    // The message may have been posted. The error marks the delivery as uncertain, so that the message is closed when
    // the call ends.
    if (isUnclear(error)) throw new SlackDidNotAnswer(error);
    return failed(error, recipient.label);
  }
}
