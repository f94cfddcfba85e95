import type { Approval } from "./approval.js";

/** Minimum extension of an approval's deadline, in milliseconds. */
export const minExtensionMs = 60_000;

/** Maximum extension in milliseconds: the original timeout. */
export function maxExtensionMs({ timeoutMs }: Pick<Approval, "timeoutMs">): number {
  return Math.max(timeoutMs, minExtensionMs);
}
