/** Texts of durations and times. */
export const time = {};
