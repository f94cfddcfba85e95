import { countNumber } from "../locale.js";

/** Texts of what one grant covers, how often it was used, and its state. */
export const grantTerms = {
  rerun: (tool: string) => `One more run of an interrupted call of ${tool}`,
  exact: (tool: string) => `Calls of ${tool} with exactly these arguments`,
  any: (tool: string) => `All calls of ${tool}`,
  matching: (tool: string) => `Calls of ${tool} that match`,
  inThread: "in one conversation",
  forUser: (who: string) => `for ${who}`,
  forOnePerson: "for one person",
  forTeam: "for everyone",
  used: (times: number) =>
    times === 0 ? "not used yet" : times === 1 ? "used once" : `used ${countNumber(times)} times`,
  usesLeft: (used: string, left: number) => `${used}, ${countNumber(left)} left`,
  states: { live: "active", expired: "expired", used_up: "used up", revoked: "revoked" },
  revokedBy: (who: string) => `revoked by ${who}`,
};
