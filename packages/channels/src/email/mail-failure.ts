import type { Sent } from "countersign/types";
import * as z from "zod";

/**
 * The fields of nodemailer's errors that are safe to use. Their messages may quote addresses and any text of the
 * server.
 */
const errorSchema = z.object({
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{1,60}$/)
    .optional()
    .catch(undefined),
  responseCode: z.number().int().min(200).max(599).optional().catch(undefined),
  response: z.string().optional().catch(undefined),
  syscall: z.string().optional().catch(undefined),
  timeoutType: z.string().optional().catch(undefined),
});

/** Codes of connections that broke or timed out. */
const broken: readonly string[] = ["ECONNECTION", "ESOCKET", "ETIMEDOUT", "ECONNRESET", "EPIPE"];
/** Timeouts before any mail was sent. */
const early: readonly string[] = ["CONNECT_TIMEOUT", "GREETING_TIMEOUT", "UPGRADE_TIMEOUT"];

/**
 * Codes above 500 that do not mean a permanent failure: the sender's settings or the session were wrong, and operators
 * can fix them.
 */
const repairable: readonly number[] = [503, 530, 534, 535, 538];

/** Why a mail was not sent. */
export function mailFailure(error: unknown, signal: AbortSignal): Sent & { ok: false } {
  if (signal.aborted) return { ok: false, error: "The mail server did not answer in time" };
  const { code, responseCode, response, syscall, timeoutType } = errorSchema.safeParse(error).data ?? {};
  if (responseCode === undefined) {
    const wasConnected = syscall !== "connect" && !early.includes(timeoutType ?? "");
    // The server may have accepted the mail.
    if (code !== undefined && broken.includes(code) && wasConnected)
      return { ok: false, error: `The mail server did not answer (${code})`, uncertain: true };
    return { ok: false, error: `The mail could not be sent${code === undefined ? "" : ` (${code})`}` };
  }
  // The enhanced status code, such as "5.1.1", is more precise than "550" (RFC 3463).
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
