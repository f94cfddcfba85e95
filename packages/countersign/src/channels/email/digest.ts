import { z } from "zod";
import type { DigestDelivery, DigestSent } from "../digest.js";
import type { DigestOccasion } from "./digest-content.js";

/** What the mails of a digest have reported so far. */
const toldSchema = z.object({
  messageId: z.string(),
  /** In the first mail. */
  firstCalls: z.number(),
  /** All calls of which a mail has told. */
  calls: z.number(),
  over: z.boolean(),
  /** The time of the event of the last mail, in milliseconds. */
  notifiedAt: z.number(),
});

type Told = z.infer<typeof toldSchema>;

/** `undefined` if no mail is known to have been sent. */
export function toldOf({ reference }: DigestDelivery): Told | undefined {
  return toldSchema.safeParse(reference).data;
}

/** What to do now: send a mail, or nothing yet. */
export type DigestStep =
  | { mail: DigestOccasion; firstCalls: number; reference: Told }
  | Extract<DigestSent, { ok: true }>;

/**
 * A mail cannot be updated. So there is one for the calls at first, one for those that joined, at most one reminder
 * within the digest's time, and one when all calls are over.
 */
export function digestStep(delivery: DigestDelivery, told: Told | undefined, messageId: string): DigestStep {
  const { digest, event, occurredAt, reference } = delivery;
  const calls = digest.open + digest.closed;
  const at = occurredAt.getTime();
  const mail = (occasion: DigestOccasion): DigestStep => ({
    mail: occasion,
    firstCalls: told?.firstCalls ?? calls,
    reference: {
      messageId: told?.messageId ?? messageId,
      firstCalls: told?.firstCalls ?? calls,
      ...{ calls, over: digest.open === 0, notifiedAt: at },
    },
  });
  if (!told) return mail(digest.open === 0 ? "over" : "first");
  if (digest.open === 0) return told.over ? { ok: true, reference } : mail("over");
  if (calls > told.calls) {
    return digest.joinsForMs > 0 ? { ok: true, reference, againInMs: digest.joinsForMs } : mail("further");
  }
  const reminds = event === "approval.reminded" || event === "approval.escalated";
  if (reminds && at - told.notifiedAt >= digest.withinMs) {
    return mail(event === "approval.escalated" ? "escalated" : "reminded");
  }
  return { ok: true, reference };
}
