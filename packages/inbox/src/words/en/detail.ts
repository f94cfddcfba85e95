/** Texts of the page of one call. */
export const detail = {};
