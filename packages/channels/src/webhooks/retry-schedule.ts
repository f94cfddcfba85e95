const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses that Standard Webhooks recommends, together about three days. */
const pauses = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/**
 * Maximum share by which a pause is lengthened at random, so that not all senders call an endpoint at once when it is
 * back.
 */
const maxJitter = 0.1;

/** Milliseconds until the next attempt; `null` after the last one. `random` is from 0 to 1. */
export function retryPauseMs(failures: number, random: number): number | null {
  const pause = pauses[failures - 1];
  return pause === undefined ? null : Math.round(pause * (1 + maxJitter * random));
}

const maxRetryAfterMs = 24 * hour;

/** The milliseconds of a `Retry-After` header: seconds or a date (RFC 9110). At most a day. */
export function retryAfterMs(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  const isSeconds = /^\d{1,10}$/.test(text);
  const wait = isSeconds ? Number(text) * second : Date.parse(text) - now.getTime();
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, 0), maxRetryAfterMs);
}
