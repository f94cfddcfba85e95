import type { Hono } from "hono";
import { CountersignError } from "../errors.js";
import type { Store } from "../store/store.js";
import type { ApiEnv } from "./api-env.js";
import { serve } from "./serve.js";

/** For whoever starts and watches processes; they tell nothing else, and need no sign-in. */
export function addHealthRoutes(api: Hono<ApiEnv>, store: Store): void {
  serve(api, "health", () => ({ status: "up" as const }));

  serve(api, "readiness", async () => {
    if (!(await store.isMigrated())) {
      throw new CountersignError(
        "not_ready",
        "The database answers, but lacks a migration of this version: run store.migrate()",
      );
    }
    return { status: "ready" as const };
  });
}
