import { Hono } from "hono";
import { incomingEventsSchema } from "../events/event.js";
import { ingestEvents } from "../events/ingest.js";
import type { Core } from "../executor/core.js";
import { describeIssue, readJson, refuse } from "./api-error.js";
import { isEventKeyKnown } from "./authorize.js";

/** `POST /e/{key}`: takes one event or an array of them. */
export function eventRoutes(core: Core, eventKeys: readonly string[] | undefined): Hono {
  return new Hono().post("/e/:key", async (c) => {
    if (!isEventKeyKnown(eventKeys, c.req.param("key"))) return refuse(c, 401, "Event key not found");
    const body = await readJson(c);
    if (body === undefined) return refuse(c, 400, "The body is no JSON");
    const batch = incomingEventsSchema.safeParse(body);
    if (!batch.success) return refuse(c, 400, describeIssue(batch.error));
    const ids = await ingestEvents(core, batch.data, c.req.header("x-inngest-event-id-seed") ?? null);
    return c.json({ ids, status: 200 });
  });
}
