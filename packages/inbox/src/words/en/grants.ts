/** Texts of grants. */
export const grants = {};
