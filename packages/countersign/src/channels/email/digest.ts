import { z } from "zod";
import type { DigestDelivery, DigestSent } from "../digest.js";
import type { DigestOccasion } from "./digest-content.js";

/** What the mails of a digest have reported so far. */
const reportedSchema = z.object({
  messageId: z.string(),
  /** The number of calls in the first mail. */
  firstCalls: z.number(),
  /** The number of calls that mails have reported. */
  calls: z.number(),
  over: z.boolean(),
  /** The time of the event of the last mail, in milliseconds. */
  notifiedAt: z.number(),
});

type Reported = z.infer<typeof reportedSchema>;

/** `undefined` if no mail is known to have been sent. */
export function lastReported({ reference }: DigestDelivery): Reported | undefined {
  return reportedSchema.safeParse(reference).data;
}

/** What to do now: send a mail, or nothing yet. */
export type DigestStep =
  | { mail: DigestOccasion; firstCalls: number; reference: Reported }
  | Extract<DigestSent, { ok: true }>;

/**
 * A mail cannot be updated, so a digest takes several: one for the first calls, one for the calls that joined later, at
 * most one reminder within `withinMs`, and one when all calls are over.
 */
export function digestStep(
  delivery: DigestDelivery,
  reported: Reported | undefined,
  messageId: string,
): DigestStep {
  const { digest, event, occurredAt, reference } = delivery;
  const calls = digest.open + digest.closed;
  const at = occurredAt.getTime();
  const mail = (occasion: DigestOccasion): DigestStep => ({
    mail: occasion,
    firstCalls: reported?.firstCalls ?? calls,
    reference: {
      messageId: reported?.messageId ?? messageId,
      firstCalls: reported?.firstCalls ?? calls,
      ...{ calls, over: digest.open === 0, notifiedAt: at },
    },
  });
  if (!reported) return mail(digest.open === 0 ? "over" : "first");
  if (digest.open === 0) return reported.over ? { ok: true, reference } : mail("over");
  if (calls > reported.calls) {
    return digest.joinsForMs > 0 ? { ok: true, reference, againInMs: digest.joinsForMs } : mail("further");
  }
  const reminds = event === "approval.reminded" || event === "approval.escalated";
  if (reminds && at - reported.notifiedAt >= digest.withinMs) {
    return mail(event === "approval.escalated" ? "escalated" : "reminded");
  }
  return { ok: true, reference };
}
