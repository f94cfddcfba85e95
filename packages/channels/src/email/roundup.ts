import type { RoundupDelivery, RoundupSent } from "countersign/types";
import { z } from "zod";
import { newsOf } from "../roundup-news.js";
import type { MailNews } from "./roundup-content.js";

/** What the mails of a roundup have reported so far. */
const reportedSchema = z.object({
  messageId: z.string(),
  /** The number of calls in the first mail. */
  firstCalls: z.number(),
  /** The number of calls that mails have reported. */
  calls: z.number(),
  over: z.boolean(),
  /** The roundup's `joinsForMs` at the last mail. */
  joinsForMs: z.number(),
});

type Reported = z.infer<typeof reportedSchema>;

/** `undefined` if no mail about the roundup is known to have been sent. */
export function lastReported({ reference }: RoundupDelivery): Reported | undefined {
  return reportedSchema.safeParse(reference).data;
}

/** What to do now: send a mail, or nothing yet. */
export type RoundupStep = { news: MailNews; reference: Reported } | Extract<RoundupSent, { ok: true }>;

/**
 * A mail cannot be updated, so a roundup takes several: one for the first calls, one for the calls that joined later,
 * at most one reminder within `withinMs`, and one when all calls are over.
 */
export function roundupStep(
  delivery: RoundupDelivery,
  reported: Reported | undefined,
  messageId: string,
): RoundupStep {
  const { roundup, reference } = delivery;
  const { joinsForMs } = roundup;
  const calls = roundup.open + roundup.closed;
  const mail = (news: MailNews): RoundupStep => ({
    news,
    reference: {
      messageId: reported?.messageId ?? messageId,
      firstCalls: reported?.firstCalls ?? calls,
      calls,
      over: roundup.open === 0,
      joinsForMs,
    },
  });
  if (roundup.open === 0)
    return reported?.over ? { ok: true, reference } : mail({ occasion: "over", further: [] });
  // A mail about one call was sent before others joined it.
  const notified = reported ?? (reference === null ? null : { calls: 1, joinsForMs: null });
  if (notified === null) return mail({ occasion: "first", further: [] });
  const news = newsOf(delivery, notified);
  if (news === null) return { ok: true, reference };
  return "againInMs" in news ? { ok: true, reference, againInMs: news.againInMs } : mail(news);
}
