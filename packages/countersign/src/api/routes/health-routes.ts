import type { Hono } from "hono";
import { notMigrated } from "../../store/migrations/not-migrated.js";
import type { Store } from "../../store/store.js";
import type { ApiEnv } from "../api-env.js";
import { serve } from "../serve.js";

/** Health checks for process managers and load balancers. They need no authentication and reveal nothing else. */
export function addHealthRoutes(api: Hono<ApiEnv>, store: Store): void {
  serve(api, "health", () => ({ status: "up" as const }));

  serve(api, "readiness", async () => {
    if (!(await store.isMigrated())) throw notMigrated();
    await store.probeWrites();
    const { problems } = await store.engineHealth();
    return problems.length === 0 ? { status: "ready" } : { status: "degraded", problems };
  });
}
