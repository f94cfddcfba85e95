import { ok } from "node:assert/strict";
import type { Card, Delivery, Recipient, Roundup, Sent } from "countersign/types";
import type { ChannelUnderTest, SeenMessage } from "./channel-under-test.js";
import { deliveryOf, openCard } from "./example-delivery.js";

/** Longer than any test's server takes. */
const patienceMs = 5_000;

/** A channel and its first recipient. */
export function tryChannel(under: ChannelUnderTest) {
  const { channel, target = null } = under;
  const recipientOf = async (card: Card): Promise<Recipient> => {
    const [first] = await channel.recipients(target, card);
    ok(first, "recipients() returns nobody for an open card");
    return first;
  };
  return {
    ...under,
    target,
    async send(card: Card, changes: Partial<Delivery> = {}): Promise<Sent> {
      const recipient = await recipientOf(openCard());
      const delivery = deliveryOf(channel, recipient, card, changes);
      return channel.send(delivery, AbortSignal.timeout(patienceMs));
    },
    async sendRoundup(roundup: Roundup): Promise<Sent> {
      const recipient = await recipientOf(openCard());
      const { card: _, ...delivery } = deliveryOf(channel, recipient, openCard());
      const attempt = { ...delivery, messageId: `${delivery.id}_1`, roundup };
      const sent = await channel.sendRoundup?.(attempt, AbortSignal.timeout(patienceMs));
      return sent ?? { ok: false, error: "There is no sendRoundup()" };
    },
    async last(): Promise<SeenMessage> {
      const message = (await under.seen()).at(-1);
      ok(message, "the recipient sees no message");
      return message;
    },
  };
}

export type TriedChannel = ReturnType<typeof tryChannel>;

/** The result for a message that the channel must accept. */
export function accepted(sent: Sent): Extract<Sent, { ok: true }> {
  if (!sent.ok) throw new Error(`send() failed: ${sent.error}`);
  return sent;
}
