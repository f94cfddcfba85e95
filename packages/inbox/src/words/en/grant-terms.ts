import { countNumber } from "../locale.js";
import { type KindOfCall, kindOf } from "./kind.js";

/** Texts of what one standing permission covers, how often it was used, and whether it is active. */
export const grantTerms = {
  rerun: (call: KindOfCall) => `One more run of an interrupted ${kindOf(call)}`,
  exact: (call: KindOfCall) => `The same ${kindOf(call)}`,
  any: (call: KindOfCall) => `All ${kindOf(call, 2)}`,
  matching: (call: KindOfCall) => `Matching ${kindOf(call, 2)}`,
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
