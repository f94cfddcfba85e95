import { type Context, Hono } from "hono";
import type { Core } from "../core.js";
import { stepsAsJson } from "../executor/run-request.js";
import { withoutUnpaired } from "../protocol/unicode.js";
import type { RunState } from "../store/run-state.js";
import { memoizedSteps } from "../store/steps.js";
import { refuse } from "./api-error.js";

/**
 * `GET /v0/runs/{id}/actions` and `/batch`: the results of a run's steps and its event, which the SDK asks for if they are
 * too large for a request. Inngest's server parses them, so unpaired surrogates become U+FFFD.
 */
export function stateRoutes(core: Core): Hono {
  const answer = async (c: Context, write: (state: RunState) => string) => {
    const id = c.req.param("id") ?? "";
    const json = await core.writer.write(async (turn) => {
      const state = await turn.runOf(id);
      return state?.run.status === "Running" ? withoutUnpaired(write(state)) : undefined;
    });
    if (json === undefined) return refuse(c, 410, `The state of the run ${id} is no longer available`);
    return c.body(json, 200, { "content-type": "application/json" });
  };
  return new Hono()
    .get("/v0/runs/:id/actions", (c) => answer(c, (state) => stepsAsJson(memoizedSteps(state))))
    .get("/v0/runs/:id/batch", (c) => answer(c, ({ run }) => `[${run.event}]`));
}
