/**
 * The lists of pending work that the inbox has. `for_you`: you may decide it, and have not yet; `waiting`: you have done your part, and
 * it waits for others, or your decision is held; `asked`: made on your behalf, and not over yet; `uncertain`: interrupted, and
 * nobody has recorded yet whether it ran.
 */
export const listNames = ["for_you", "waiting", "asked", "uncertain"] as const;

export type ListName = (typeof listNames)[number];
