/** Texts of signing in and the end of a session. */
export const signIn = {
  title: "Approvals",
  why: "Sign in to see your pending approvals.",
  inHost: "Sign in to the application that this inbox belongs to, then come back.",
  signIn: "Sign in",
  people: "Sign in as",
  token: "Token",
  invalidToken: "This token is not valid. Check it and paste it again.",
  noResponse: "Could not sign in because the server did not respond. Try again in a moment.",
  ended: "Your session has ended",
  goOnAs: (name: string) => `Sign in as ${name} to go on. What you typed is kept.`,
};
