import type {
  Card,
  Channel,
  Delivery,
  Digest,
  DigestDelivery,
  DigestSent,
  Recipient,
  Sent,
} from "countersign";

export interface RecordingOptions extends Partial<Omit<Channel, "send" | "sendDigest" | "recipients">> {
  /** The result of each attempt to send a digest, in order. Further attempts succeed. */
  digestAnswers?: (DigestSent | Error | ((delivery: DigestDelivery) => Promise<DigestSent>))[];
  /** The recipients of a target. @default one recipient named after the target */
  recipients?: (target: string | null, card: Card) => readonly Recipient[] | Promise<readonly Recipient[]>;
  /** The result of each attempt, in order. Further attempts succeed. */
  answers?: (Sent | Error | ((delivery: Delivery, signal: AbortSignal) => Promise<Sent>))[];
}

/**
 * A channel in this process that records its deliveries. `shown` and `shownDigests` hold what recipients see: the newest
 * card or digest of each delivery.
 */
export function recordingChannel({
  recipients,
  answers = [],
  digestAnswers = [],
  ...options
}: RecordingOptions = {}) {
  const digests: DigestDelivery[] = [];
  const shownDigests = new Map<string, Digest>();
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
    async sendDigest(delivery) {
      const answer = digestAnswers.shift();
      if (answer instanceof Error) throw answer;
      const result =
        typeof answer === "function"
          ? await answer(delivery)
          : (answer ?? { ok: true, reference: { message: delivery.id } });
      if (!result.ok) return result;
      digests.push(delivery);
      shownDigests.set(delivery.id, delivery.digest);
      return result;
    },
  };
  return { channel, sent, attempts, shown, answers, digests, shownDigests, digestAnswers };
}
