/**
 * The lists of pending work that the inbox has. `for_you`: you may decide it, and have not yet; `snoozed`: the same, but you have
 * put it aside until a later time; `waiting`: you have done your part, and it waits for others, or your decision is held; `asked`: made on your behalf, and not over yet; `uncertain`: interrupted, and
 * nobody has recorded yet whether it ran.
 */
export const listNames = ["for_you", "snoozed", "waiting", "asked", "uncertain"] as const;

export type ListName = (typeof listNames)[number];
