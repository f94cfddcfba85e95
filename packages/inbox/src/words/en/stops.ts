import { countNumber } from "../locale.js";

/** Texts of stops. */
export const stops = {
  stoppedBy: (who: string, reason: string) => `Stopped by ${who}: ${reason}`,
  allCalls: "all calls",
  callsOf: (tools: string) => `calls of ${tools}`,
  covers: (calls: string) => `It covers ${calls}. Nobody can approve them until it is released.`,
  others: (count: number) =>
    count === 1 ? "There is another stop." : `There are ${countNumber(count)} other stops.`,
  show: "Show stops",
  notYet: "You cannot approve this until the stop is released.",
  mayDeny: "You can still deny it.",
  engaged: "Stopped by {who}, {time}",
  engagedForAll: "Stopped by {who}, {time}. It covers all tenants, and only an operator can release it",
  release: "Release",
  releaseOf: (calls: string) => `Release the stop of ${calls}`,
  releaseReason: "Why these calls can start again",
  releasing: "Releasing the stop",
  cancel: "Cancel",
};
