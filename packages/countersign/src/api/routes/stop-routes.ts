import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import type { Hono } from "hono";
import type { Stop } from "../../stops/stop.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import type { StopView } from "../contract/stop-schemas.js";
import { serve } from "../serve.js";

/** Routes for the stops of the caller's tenant. They require a stop role. */
export function addStopRoutes(api: Hono<ApiEnv>, context: ApiContext): void {
  const { store, mayStop } = context;

  const allowed = (principal: Principal): Principal => {
    if (!mayStop(principal)) {
      throw new CountersignError("stops_not_allowed", "None of your roles may engage or release stops");
    }
    return principal;
  };

  serve(api, "listStops", async ({ query: { engaged, limit, cursor } }, c) => {
    const { tenantId } = allowed(c.get("principal"));
    const found = await store.listStops({
      tenantId,
      engaged: engaged === "true",
      limit: limit + 1,
      ...context.after(cursor),
    });
    return context.page(found, limit, (stop) => stop.engagedAt, stopView);
  });

  serve(api, "engageStop", async ({ body: { tool, reason } }, c) => {
    const by = allowed(c.get("principal"));
    return stopView(await store.engageStop({ tenantId: by.tenantId, tool, reason, by }));
  });

  serve(api, "releaseStop", async ({ params: { id }, body: { reason } }, c) => {
    const by = allowed(c.get("principal"));
    const result = await store.releaseStop({ id, tenantId: by.tenantId, reason, by });
    if (result.outcome === "not_found") throw new CountersignError("not_found", "The stop does not exist");
    if (result.outcome === "forbidden") {
      throw new CountersignError(
        "stops_not_allowed",
        "This stop is for all tenants. Only an operator can release it, with `countersign release`",
      );
    }
    return stopView(result.stop);
  });
}

/** A stop as the API returns it. Dates are ISO 8601 in UTC. */
function stopView({ tenantId, ...stop }: Stop): StopView {
  return {
    id: stop.id,
    allTenants: tenantId === null,
    tool: stop.tool,
    reason: stop.reason,
    engagedBy: stop.engagedBy,
    engagedAt: stop.engagedAt.toISOString(),
    releasedBy: stop.releasedBy,
    releasedAt: stop.releasedAt?.toISOString() ?? null,
    releaseReason: stop.releaseReason,
    mayRelease: tenantId !== null && stop.releasedAt === null,
  };
}
