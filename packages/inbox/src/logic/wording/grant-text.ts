import { budgetText } from "countersign/display";
import type { Grant } from "../../api/records.js";

/** Describes a grant. */
export function grantText(grant: Grant): {
  covers: string;
  uses: string;
  budget: string | null;
  state: string;
} {
  const { scope, scopeId, toolName, usesTaken, usesLeft, budget, status, revokedBy } = grant;
  const who = {
    thread: "in one conversation",
    user: `for ${scopeId ?? "one person"}`,
    team: "for everyone",
  }[scope];
  const what = grant.rerun
    ? `One more run of an interrupted call of ${toolName}`
    : grant.arguments === "exact"
      ? `Calls of ${toolName} with exactly these arguments`
      : grant.arguments === "any"
        ? `All calls of ${toolName}`
        : `Calls of ${toolName} that match`;
  const used = usesTaken === 1 ? "used once" : usesTaken === 0 ? "not used yet" : `used ${usesTaken} times`;
  return {
    covers: `${what}, ${who}`,
    uses: usesLeft === null ? used : `${used}, ${usesLeft} left`,
    budget: budget && budgetText(budget),
    state: {
      live: "active",
      expired: "expired",
      used_up: "used up",
      revoked: revokedBy ? `revoked by ${revokedBy}` : "revoked",
    }[status],
  };
}
