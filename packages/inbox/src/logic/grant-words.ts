import type { Grant } from "../api/approval.js";

/** A standing approval in words. */
export function grantWords(grant: Grant): { covers: string; uses: string; state: string } {
  const { scope, scopeId, toolName, usesTaken, usesLeft, status, revokedBy } = grant;
  const who = {
    thread: "in one conversation",
    user: `for ${scopeId ?? "one person"}`,
    team: "for everybody",
  }[scope];
  const what = grant.rerun
    ? `One more run of a call of ${toolName} that was cut off`
    : grant.arguments === "exact"
      ? `Exactly this call of ${toolName}`
      : grant.arguments === "any"
        ? `Every call of ${toolName}`
        : `Calls of ${toolName} where this holds`;
  const used = usesTaken === 1 ? "used once" : usesTaken === 0 ? "not used yet" : `used ${usesTaken} times`;
  return {
    covers: `${what}, ${who}`,
    uses: usesLeft === null ? used : `${used}, ${usesLeft} left`,
    state: {
      live: "in force",
      expired: "its time is over",
      used_up: "used up",
      revoked: revokedBy ? `taken back by ${revokedBy}` : "taken back",
    }[status],
  };
}
