import { Hono } from "hono";
import type { Core } from "../core.js";
import { ingestEvents } from "../executor/events/ingest.js";
import { incomingEventsSchema } from "../protocol/event.js";
import { describeIssue, readJson, refuse } from "./api-error.js";
import { requireEventKey } from "./authorize.js";
import { limitBody, MAX_BODY_BYTES, MAX_EVENT_BYTES } from "./body-limits.js";

/** `POST /e/{key}`: takes one event or an array of them. */
export function eventRoutes(core: Core, eventKeys: readonly string[] | undefined): Hono {
  const route = new Hono();
  route.use("/e/:key", requireEventKey(eventKeys), limitBody(MAX_BODY_BYTES.events));
  route.post("/e/:key", async (c) => {
    const body = await readJson(c);
    if (body === undefined) return refuse(c, 400, "The body is not valid JSON");
    const batch = incomingEventsSchema.safeParse(body);
    if (!batch.success) return refuse(c, 400, describeIssue(batch.error));
    if (batch.data.some((event) => bytesOf(event) > MAX_EVENT_BYTES)) {
      return refuse(c, 413, `An event must not exceed ${MAX_EVENT_BYTES} bytes of JSON`);
    }
    const ids = await ingestEvents(core, batch.data, c.req.header("x-inngest-event-id-seed") ?? null);
    return c.json({ ids, status: 200 });
  });
  return route;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
