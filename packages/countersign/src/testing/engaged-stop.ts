import type { Stop } from "../stops/stop.js";

/** A stop for all tools of the tenant `acme`. */
export const engagedStop: Stop = {
  ...{ id: "stp_1", tenantId: "acme", tool: "*", reason: "Incident" },
  ...{ engagedBy: "olga", engagedAt: new Date(0) },
  ...{ releasedBy: null, releasedAt: null, releaseReason: null },
};
