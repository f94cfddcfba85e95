/** Texts of stops. */
export const stops = {};
