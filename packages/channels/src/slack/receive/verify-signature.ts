import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Slack's own limit on the age of a request. It also applies to timestamps in the future, so that nobody can prepare
 * requests.
 */
const maxSkewSeconds = 300;

export type SignatureProblem =
  | "missing_signature"
  | "bad_timestamp"
  | "too_old"
  | "too_new"
  | "bad_signature";

/** Checks Slack's signature over the raw body. Returns what is wrong, or null. */
export function signatureProblem(
  headers: Headers,
  body: Uint8Array,
  secret: string,
  now: Date,
): SignatureProblem | null {
  const timestamp = headers.get("x-slack-request-timestamp");
  const signature = headers.get("x-slack-signature");
  if (timestamp === null || signature === null) return "missing_signature";
  if (!/^\d{1,12}$/.test(timestamp)) return "bad_timestamp";
  const age = now.getTime() / 1000 - Number(timestamp);
  if (!(age <= maxSkewSeconds)) return "too_old";
  if (!(age >= -maxSkewSeconds)) return "too_new";
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest();
  const [, hex] = /^v0=([0-9a-f]{64})$/.exec(signature) ?? [];
  const given = Buffer.from(hex ?? "", "hex");
  return given.length === expected.length && timingSafeEqual(given, expected) ? null : "bad_signature";
}
