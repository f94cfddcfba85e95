import type { Hono } from "hono";
import type { ThreadPlace } from "../../store/thread/thread-port.js";
import type { ApiContext } from "../api-context.js";
import type { ApiEnv } from "../api-env.js";
import { decodeCursor, encodeCursor } from "../cursor.js";
import { refusedField } from "../problem.js";
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
    const { older, ...thread } = await threads.read(params.id, reader, {
      seesEverything: seesEverything(reader),
      limit: query.limit,
      ...placeOf(query.cursor),
    });
    const nextCursor = older && encodeCursor({ at: older.at, id: String(older.seq) });
    return { ...withIsoTimes(thread), nextCursor };
  });
}

function placeOf(cursor: string | undefined): { before?: ThreadPlace } {
  if (cursor === undefined) return {};
  const { at, id } = decodeCursor(cursor);
  const seq = Number(id);
  if (!Number.isSafeInteger(seq))
    throw refusedField("cursor", "is not a cursor of this thread; request the first page without it");
  return { before: { at, seq } };
}

function withIsoTimes<Thread extends { createdAt: Date; updatedAt: Date }>(thread: Thread) {
  return {
    ...thread,
    createdAt: thread.createdAt.toISOString(),
    updatedAt: thread.updatedAt.toISOString(),
  };
}
