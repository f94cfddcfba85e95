import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { checkedRelease, checkedStop } from "../../stops/stop.js";
import type { StopPort } from "../ports/stop-port.js";
import type { Scopes } from "../scopes.js";
import { createStopCache } from "../stop/stop-cache.js";
import {
  engageStop,
  listStops,
  readEngagedStops,
  recentTools,
  releaseStop,
  waitForClaims,
} from "../stop/stops.js";

/** Engages and releases stops. */
export function stopVerbs({ asSystem, inScopeOf, reading }: Scopes, clockOffset: () => number): StopPort {
  const stopCache = createStopCache(
    (onBegin) =>
      reading.asSystem((tx) => {
        onBegin();
        return readEngagedStops(tx);
      }),
    () => performance.now() + clockOffset(),
  );
  return {
    engageStop: async (given) => {
      const stop = checkedStop(given);
      const engaged = await inScopeOf(stop.tenantId, (tx) => engageStop(tx, stop));
      stopCache.forget();
      await asSystem(waitForClaims).catch(() => {
        throw new CountersignError(
          "database_failed",
          `The stop ${engaged.id} is engaged, but calls that were starting at that moment may still start: the database did not confirm in time that they are done. Engage the stop again to check; this changes nothing else`,
          { detail: { stopId: engaged.id } },
        );
      });
      return engaged;
    },
    releaseStop: async (given) => {
      const release = checkedRelease(given);
      const result = await inScopeOf(release.tenantId, (tx) => releaseStop(tx, release));
      stopCache.forget();
      return result;
    },
    listStops: (filter) => reading.inScopeOf(filter.tenantId, (tx) => listStops(tx, filter)),
    recentTools: (tenantId) => reading.inScopeOf(tenantId, (tx) => recentTools(tx, tenantId)),
    engagedStops: () => stopCache.engaged(),
  };
}
