import { z } from "zod";
import type { Sent } from "../channel.js";

/** What nodemailer's errors say apart from words, which may quote addresses, and in which servers write what they like. */
const errorSchema = z.object({
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{1,60}$/)
    .optional()
    .catch(undefined),
  responseCode: z.number().int().min(200).max(599).optional().catch(undefined),
  response: z.string().optional().catch(undefined),
});

/** Replies that end with 5 but say that the sender's settings are wrong, or that the session was: these can be repaired. */
const repairable: readonly number[] = [503, 530, 534, 535, 538];

/**
 * Why a mail was not sent. Without a reply the server may have it all the same, so it is sent again with the same id.
 */
export function mailFailure(error: unknown, signal: AbortSignal): Sent & { ok: false } {
  if (signal.aborted) return { ok: false, error: "The mail server did not answer in time" };
  const { code, responseCode, response } = errorSchema.safeParse(error).data ?? {};
  if (responseCode === undefined) {
    return { ok: false, error: `The mail could not be sent${code === undefined ? "" : ` (${code})`}` };
  }
  // RFC 3463: "5.1.1" says more than "550".
  const [enhanced] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(response ?? "") ?? [];
  const reply = [responseCode, ...(enhanced ? [enhanced] : [])].join(" ");
  if (code === "EAUTH") return { ok: false, error: `The mail server refused the sign-in (${reply})` };
  const isPermanent = responseCode >= 500 && !repairable.includes(responseCode);
  return {
    ok: false,
    error: `The mail server refused the mail (${reply})`,
    ...(isPermanent && { permanent: true }),
  };
}
