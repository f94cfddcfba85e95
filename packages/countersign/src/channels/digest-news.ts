import type { Digest, DigestDelivery } from "./digest.js";

/**
 * A digest sends no reminder this soon after a notification: calls that were announced together are also reminded
 * together.
 */
const sameTimeMs = 10_000;

/** What people were last notified of. */
export interface Notified {
  /** The number of calls that the digest then had. */
  calls: number;
  /** The digest's `joinsForMs` then; `null` if unknown. */
  joinsForMs: number | null;
}

export type DigestNews = {
  occasion: "further" | "reminded" | "escalated";
  /** Waiting calls of which people were not notified yet. */
  further: Digest["newest"];
};

/**
 * What to notify people of now: calls that joined, and reminders. `null` for nothing. There is at most one notification
 * within the digest's `withinMs`; what happens earlier waits for `againInMs`.
 */
export function newsOf(
  { digest, event }: DigestDelivery,
  notified: Notified,
): DigestNews | { againInMs: number } | null {
  const { newest, joinsForMs, withinMs } = digest;
  const sinceMs = notified.joinsForMs === null ? withinMs : notified.joinsForMs - joinsForMs;
  const further = newest.filter(({ position }) => position > notified.calls);
  const asksAgain = event === "approval.reminded" || event === "approval.escalated";
  const reminds = asksAgain && sinceMs >= Math.min(sameTimeMs, withinMs);
  if (digest.open === 0 || (further.length === 0 && !reminds)) return null;
  if (sinceMs < withinMs) return { againInMs: withinMs - sinceMs };
  if (!reminds) return { occasion: "further", further };
  return { occasion: event === "approval.escalated" ? "escalated" : "reminded", further };
}
