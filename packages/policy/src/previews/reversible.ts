import { durationMs } from "../shared/duration.js";

/** Whether a call can be taken back: yes, within a time such as "30m", or no. */
export type Reversible = boolean | string;

/** The strictest of what rules and a preview say: no, else the shortest time, else yes. `null` if nobody says anything. */
export function strictestReversible(said: readonly (Reversible | null | undefined)[]): Reversible | null {
  const known = said.filter((one) => one !== null && one !== undefined);
  return known.sort((one, other) => reversibleMs(one) - reversibleMs(other))[0] ?? null;
}

/** Milliseconds for which a call can be taken back after it ran; 0 if it cannot. */
export function reversibleMs(reversible: Reversible): number {
  if (typeof reversible === "string") return durationMs(reversible) ?? 0;
  return reversible ? Number.POSITIVE_INFINITY : 0;
}
