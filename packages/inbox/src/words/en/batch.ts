/** Texts of the review of several calls in a table. */
export const batch = {};
