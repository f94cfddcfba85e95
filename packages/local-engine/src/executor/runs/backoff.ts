/** Waits between attempts: 10 s, 30 s, 1 min, 2 min, 5 min, and 10 min from then on. */
const DELAYS_MS = [10_000, 30_000, 60_000, 120_000, 300_000, 600_000];

/**
 * When the next attempt is due. The app's `retry-after` (seconds, or a date) overrides the engine's own back-off, to
 * which up to a tenth is added at random.
 */
export function nextAttemptAt(
  attempt: number,
  retryAfter: string | undefined,
  now: number,
  random: () => number = Math.random,
): number {
  if (retryAfter !== undefined) {
    const seconds = Number(retryAfter);
    const at = Number.isFinite(seconds) ? now + seconds * 1000 : Date.parse(retryAfter);
    if (Number.isFinite(at)) return Math.max(now, at);
  }
  const delay = DELAYS_MS[Math.min(attempt, DELAYS_MS.length - 1)] ?? 600_000;
  return Math.round(now + delay * (1 + random() / 10));
}
