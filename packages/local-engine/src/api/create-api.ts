import { Hono } from "hono";
import type { Core } from "../executor/core.js";
import { explainFailure } from "../executor/explain-failure.js";
import type { InFlight } from "../executor/in-flight.js";
import { refuse } from "./api-error.js";
import { requireSigningKey } from "./authorize.js";
import { checkpointRoutes } from "./checkpoint-routes.js";
import { eventRoutes } from "./event-routes.js";
import { registerRoutes } from "./register-routes.js";
import { runRoutes } from "./run-routes.js";

/** The engine's HTTP API: what an SDK calls, and what looks at runs. */
export function createApi(
  core: Core,
  inFlight: InFlight,
  options: {
    eventKeys: readonly string[] | undefined;
    isInProcess(url: string): boolean;
    onRegistered(): void;
  },
): Hono {
  const api = new Hono();
  const authorize = requireSigningKey(core.signingKey);
  api.use("/fn/*", authorize);
  api.use("/v1/*", authorize);
  api.route("/", eventRoutes(core, options.eventKeys));
  api.route("/", registerRoutes(core, options));
  api.route("/", checkpointRoutes(core, inFlight));
  api.route("/", runRoutes(core));
  // Nobody can subscribe here, so what is published reaches nobody.
  api.post("/v1/realtime/publish", (c) => c.body("", 200));
  api.post("/v1/signals", (c) => refuse(c, 404, "The local engine does not support signals"));
  api.notFound((c) => refuse(c, 404, `The local engine has no route ${c.req.method} ${c.req.path}`));
  api.onError((error, c) => {
    core.logger.error(`${c.req.method} ${c.req.path}: ${explainFailure(error)}`);
    return refuse(c, 500, "Internal error; the engine's log says why");
  });
  return api;
}
