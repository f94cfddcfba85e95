/** Texts of arguments, their kinds and warnings about them. */
export const values = {};
