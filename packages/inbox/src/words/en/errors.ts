/** Texts of errors of the API. */
export const errors = {};
