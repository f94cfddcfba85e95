import type { Channel } from "countersign";
import type { Card, Delivery, Recipient, RoundupDelivery, Sent } from "countersign/types";

export interface RecordingOptions extends Partial<Omit<Channel, "send" | "sendRoundup" | "recipients">> {
  /** The result of each attempt to send a roundup, in order. Further attempts succeed. */
  roundupAnswers?: (Sent | Error | ((delivery: RoundupDelivery) => Promise<Sent>))[];
  /** The recipients of a target. @default one recipient named after the target */
  recipients?: (target: string | null, card: Card) => readonly Recipient[] | Promise<readonly Recipient[]>;
  /** The result of each attempt, in order. Further attempts succeed. */
  answers?: (Sent | Error | ((delivery: Delivery, signal: AbortSignal) => Promise<Sent>))[];
}

/**
 * A channel in this process that records its deliveries. `shown` holds what recipients see of calls: the newest card of
 * each delivery. `roundups` holds all roundups that they got.
 */
export function recordingChannel({
  recipients,
  answers = [],
  roundupAnswers = [],
  ...options
}: RecordingOptions = {}) {
  const roundups: RoundupDelivery[] = [];
  const sent: Delivery[] = [];
  const attempts: Delivery[] = [];
  const shown = new Map<string, Card>();
  const channel: Channel = {
    name: "test",
    mode: "card",
    ...options,
    recipients: recipients ?? ((target) => [{ id: target ?? "everybody", label: target ?? "everybody" }]),
    async send(delivery, signal) {
      attempts.push(delivery);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      const result =
        typeof answer === "function"
          ? await answer(delivery, signal)
          : (answer ?? { ok: true, reference: { message: delivery.id } });
      if (!result.ok) return result;
      sent.push(delivery);
      const before = shown.get(delivery.id);
      if (!before || before.version <= delivery.card.version) shown.set(delivery.id, delivery.card);
      return result;
    },
    async sendRoundup(delivery) {
      const answer = roundupAnswers.shift();
      if (answer instanceof Error) throw answer;
      const result =
        typeof answer === "function"
          ? await answer(delivery)
          : (answer ?? { ok: true, reference: { message: delivery.id } });
      if (!result.ok) return result;
      roundups.push(delivery);
      return result;
    },
  };
  return { channel, sent, attempts, shown, answers, roundups, roundupAnswers };
}
