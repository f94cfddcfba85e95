/** Verdicts from loosest to strictest. The strictest verdict for a call wins. */
export const verdictKinds = ["allow", "notify", "ask", "manual", "deny"] as const;
export type VerdictKind = (typeof verdictKinds)[number];

/** Risks from lowest to highest. */
export const risks = ["low", "medium", "high", "critical"] as const;
export type Risk = (typeof risks)[number];

/** Scopes of a grant: one conversation, one requester, or the whole tenant. */
export const grantScopes = ["thread", "user", "team"] as const;
export type GrantScope = (typeof grantScopes)[number];

/** Decisions that a person can make about a pending call. */
export const decisionTypes = ["approve", "edit", "deny", "respond"] as const;
export type DecisionType = (typeof decisionTypes)[number];

/** The channel in an entry of `notify`: `slack` in `slack:#finance`. */
export function channelOf(entry: string): string {
  return entry.split(":", 1)[0] ?? entry;
}

/** The place where people decide without a channel. It includes the API, which cannot tell pages from programs. */
export const inboxPlace = "inbox";
