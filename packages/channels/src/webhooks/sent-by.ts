import type { Sent } from "countersign/types";
import { PrivateAddress } from "./checked-lookup.js";
import type { Answer } from "./post.js";
import { retryAfterMs } from "./retry-schedule.js";

/** What an endpoint's answer means. */
export function sentBy({ status, retryAfter }: Answer, now: Date): Sent {
  if (status >= 200 && status < 300) return { ok: true, reference: null };
  if (status >= 300 && status < 400)
    return { ok: false, error: `HTTP ${status}: redirects are not followed; configure the final address` };
  if (status === 410) {
    return { ok: false, error: "HTTP 410: the endpoint is gone", permanent: true, gone: true };
  }
  const wait = status === 429 || status === 503 ? retryAfterMs(retryAfter, now) : undefined;
  return { ok: false, error: `HTTP ${status}`, ...(wait !== undefined && { retryAfterMs: wait }) };
}

/** Why there was no answer. Messages of network errors name internal addresses, so only their codes are kept. */
export function failedBy(error: unknown, signal: AbortSignal): Sent {
  if (error instanceof PrivateAddress)
    return { ok: false, error: "The endpoint's host has a private or reserved address; see allowPrivate" };
  if (signal.aborted) return { ok: false, error: "The endpoint did not answer in time" };
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  const known = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : "";
  return { ok: false, error: `The endpoint could not be reached${known}` };
}
