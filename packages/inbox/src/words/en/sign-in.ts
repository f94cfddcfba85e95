/** Texts of signing in and the end of a session. */
export const signIn = {};
