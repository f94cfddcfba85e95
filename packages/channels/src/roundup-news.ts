import type { Roundup, RoundupDelivery } from "countersign/types";

/**
 * A roundup sends no reminder this soon after a notification: calls that were announced together are also reminded
 * together.
 */
const sameTimeMs = 10_000;

/** What people were last notified of. */
export interface Notified {
  /** The number of calls that the roundup then had. */
  calls: number;
  /** The roundup's `joinsForMs` then; `null` if unknown. */
  joinsForMs: number | null;
}

export type RoundupNews = {
  occasion: "further" | "reminded" | "escalated";
  /** Waiting calls of which people were not notified yet. */
  further: Roundup["newest"];
};

/**
 * What to notify people of now: calls that joined, and reminders. `null` for nothing. There is at most one notification
 * within the roundup's `withinMs`; what happens earlier waits for `againInMs`.
 */
export function newsOf(
  { roundup, event }: RoundupDelivery,
  notified: Notified,
): RoundupNews | { againInMs: number } | null {
  const { newest, joinsForMs, withinMs } = roundup;
  const sinceMs = notified.joinsForMs === null ? withinMs : notified.joinsForMs - joinsForMs;
  const further = newest.filter(({ position }) => position > notified.calls);
  const asksAgain = event === "approval.reminded" || event === "approval.escalated";
  const reminds = asksAgain && sinceMs >= Math.min(sameTimeMs, withinMs);
  if (roundup.open === 0 || (further.length === 0 && !reminds)) return null;
  if (sinceMs < withinMs) return { againInMs: withinMs - sinceMs };
  if (!reminds) return { occasion: "further", further };
  return { occasion: event === "approval.escalated" ? "escalated" : "reminded", further };
}
