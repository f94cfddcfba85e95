/** Texts of what came of a decision, and undo. */
export const decided = {};
