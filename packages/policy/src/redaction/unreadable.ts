/** Replaces values in a condition's input that its author may not see. Reading it is an error. */
export const unreadable = Symbol("unreadable");
