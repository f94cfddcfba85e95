import type { Approval } from "./approval.js";

/** Shortest time, in milliseconds, by which the time to decide is lengthened. */
export const shortestExtensionMs = 60_000;

/** Longest, in milliseconds: as long as people had at first. */
export function longestExtensionMs({ timeoutMs }: Pick<Approval, "timeoutMs">): number {
  return Math.max(timeoutMs, shortestExtensionMs);
}
