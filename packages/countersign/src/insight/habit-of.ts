import type { RuleInsight } from "../store/ports/insight-port.js";

/** What people nearly always do with the calls of a rule. */
export const habits = ["always_approved", "often_denied"] as const;
export type Habit = (typeof habits)[number];

/** Fewer decisions say nothing. */
const minApproved = 10;
const minDecided = 5;
const deniedShare = 0.3;

/** Whether people approved all of at least 10 decided calls, or denied 30 % of at least 5. */
export function habitOf({
  approved,
  denied,
  answered,
}: Pick<RuleInsight, "approved" | "denied" | "answered">): Habit | null {
  const decided = approved + denied + answered;
  if (decided >= minApproved && approved === decided) return "always_approved";
  return decided >= minDecided && denied >= decided * deniedShare ? "often_denied" : null;
}
