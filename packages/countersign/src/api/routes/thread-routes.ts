import type { Hono } from "hono";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { serve } from "../serve.js";

/** Routes for the caller's conversations. */
export function addThreadRoutes(api: Hono<ApiEnv>, { countersign, seesEverything }: ApiContext): void {
  const { threads } = countersign;

  serve(api, "listThreads", async ({ query }, c) => {
    const found = await threads.list(c.get("principal"), query.limit);
    return { items: found.map(withIsoTimes) };
  });

  serve(api, "getThread", async ({ params, query }, c) => {
    const reader = c.get("principal");
    const thread = await threads.read(params.id, reader, {
      seesEverything: seesEverything(reader),
      ...query,
    });
    return withIsoTimes(thread);
  });
}

function withIsoTimes<Thread extends { createdAt: Date; updatedAt: Date }>(thread: Thread) {
  return {
    ...thread,
    createdAt: thread.createdAt.toISOString(),
    updatedAt: thread.updatedAt.toISOString(),
  };
}
