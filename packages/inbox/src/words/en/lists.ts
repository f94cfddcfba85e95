/** Texts of the lists of calls and the filters. */
export const lists = {};
