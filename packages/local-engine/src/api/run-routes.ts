import { Hono } from "hono";
import type { Core } from "../core.js";
import { finishRun } from "../executor/runs/finish-run.js";
import { findEventIds } from "../store/events.js";
import { findRun, listRunsOfEvent } from "../store/runs.js";
import type { Run } from "../store/schema.js";
import { refuse } from "./api-error.js";
import { CachedAnswers } from "./cached-answers.js";

/** Inngest's server caches responses by URL for this long, even empty lists. */
const RUNS_OF_EVENT_CACHE_MS = 15_000;

/** `GET` and `DELETE /v1/runs/{id}`, `GET /v1/events/{id}/runs`. */
export function runRoutes(core: Core): Hono {
  const cachedRuns = new CachedAnswers(core.now, RUNS_OF_EVENT_CACHE_MS);
  return new Hono()
    .get("/v1/runs/:id", async (c) => {
      const run = await findRun(core.db, c.req.param("id"));
      return run ? c.json({ data: toRunView(run) }) : refuse(c, 404, "Run not found");
    })
    .delete("/v1/runs/:id", async (c) => {
      const id = c.req.param("id");
      if (!(await findRun(core.db, id))) return refuse(c, 404, "Run not found");
      await core.writer.write((write) => finishRun(write, id, { status: "Cancelled" }));
      return c.body(null, 202);
    })
    .get("/v1/events/:id/runs", async (c) => {
      const id = c.req.param("id");
      const answer = await cachedRuns.get(c.req.url, async ({ now, until }) => {
        const ids = new Set([id, ...(await findEventIds(core.db, id))]);
        const runs = await Promise.all([...ids].map((eventId) => listRunsOfEvent(core.db, eventId)));
        return {
          data: runs.flat().map(toRunView),
          metadata: { fetched_at: new Date(now).toISOString(), cached_until: new Date(until).toISOString() },
        };
      });
      return c.json(answer);
    });
}

function toRunView(run: Run) {
  return {
    run_id: run.id,
    status: run.status,
    function_id: run.functionId,
    output: run.output === null ? null : (JSON.parse(run.output) as unknown),
    run_started_at: new Date(run.startedAt).toISOString(),
    ended_at: run.endedAt === null ? null : new Date(run.endedAt).toISOString(),
    event_id: run.eventId,
  };
}
