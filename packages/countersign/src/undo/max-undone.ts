/** Calls that can be undone with one request. */
export const maxUndone = 50;
