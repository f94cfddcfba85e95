import { Hono } from "hono";
import type { Core } from "../core.js";
import { ingestEvents } from "../executor/events/ingest.js";
import { type IncomingEvent, incomingEventSchema } from "../protocol/event.js";
import { describeIssue, readJson, refuse } from "./api-error.js";
import { requireEventKey } from "./authorize.js";
import { limitBody, MAX_BODY_BYTES, MAX_EVENT_BYTES } from "./body-limits.js";

/** Maximum number of events in one request. */
const MAX_EVENTS = 5_000;

/**
 * `POST /e/{key}`: takes one event or an array of them. Like Inngest's server, it takes the events before an invalid one,
 * although it then answers 400.
 */
export function eventRoutes(core: Core, eventKeys: readonly string[] | undefined): Hono {
  const route = new Hono();
  route.use("/e/:key", requireEventKey(eventKeys), limitBody(MAX_BODY_BYTES.events));
  route.post("/e/:key", async (c) => {
    const body = await readJson(c);
    if (body === undefined) return refuse(c, 400, "The body is not valid JSON");
    const sent: unknown[] = Array.isArray(body) ? body : [body];
    if (sent.length > MAX_EVENTS) return refuse(c, 400, `A request must have at most ${MAX_EVENTS} events`);
    const { valid, problem } = readEvents(sent);
    if (valid.some((event) => bytesOf(event) > MAX_EVENT_BYTES)) {
      return refuse(c, 413, `An event must not exceed ${MAX_EVENT_BYTES} bytes of JSON`);
    }
    const ids = await ingestEvents(core, valid, c.req.header("x-inngest-event-id-seed") ?? null);
    if (problem !== undefined) return c.json({ ids, status: 400, error: problem }, 400);
    return c.json({ ids, status: 200 });
  });
  return route;
}

/** The events before the first invalid one, and what is wrong with that. */
function readEvents(sent: unknown[]): { valid: IncomingEvent[]; problem?: string } {
  const valid: IncomingEvent[] = [];
  for (const [index, event] of sent.entries()) {
    const read = incomingEventSchema.safeParse(event);
    if (!read.success) {
      const problem = describeIssue(read.error);
      return { valid, problem: sent.length > 1 ? `${index}.${problem}` : problem };
    }
    valid.push(read.data);
  }
  return { valid };
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
