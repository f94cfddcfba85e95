/** Texts of the history of calls. */
export const history = {};
