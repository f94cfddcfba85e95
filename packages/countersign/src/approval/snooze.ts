import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Approval } from "./approval.js";

/** The time that is left to decide when a snooze ends, at least, in milliseconds. */
const minTimeAfterSnoozeMs = 60_000;

/** Until when a person has put a call aside. `undefined` if they have not, or the time has come. */
export function snoozedUntil({ snoozes }: Pick<Approval, "snoozes">, { id }: Principal): Date | undefined {
  return snoozes.find(({ principalId }) => principalId === id)?.until;
}

/** The latest time until which a call may be put aside. */
export function latestSnooze({ expiresAt }: Pick<Approval, "expiresAt">): Date | undefined {
  return expiresAt ? new Date(expiresAt.getTime() - minTimeAfterSnoozeMs) : undefined;
}
