import { Hono, type MiddlewareHandler } from "hono";
import type { AllowedApps } from "../apps/allowed-apps.js";
import type { Core } from "../core.js";
import { explainFailure } from "../executor/explain-failure.js";
import type { InFlight } from "../executor/loop/in-flight.js";
import type { Refusal } from "../requests/check-request-source.js";
import { refuse } from "./api-error.js";
import { requireSigningKey } from "./authorize.js";
import { checkpointRoutes } from "./checkpoint-routes.js";
import { devRoutes } from "./dev-routes.js";
import { eventRoutes } from "./event-routes.js";
import { registerRoutes } from "./register-routes.js";
import { runRoutes } from "./run-routes.js";
import { stateRoutes } from "./state-routes.js";

export interface ApiOptions {
  /** The address of this engine that only this process knows. */
  ownUrl: string;
  /** Why a request of another origin is refused. */
  refusalOf(request: Request): Refusal | undefined;
  eventKeys: readonly string[] | undefined;
  allowedApps: AllowedApps;
  onRegistered(): void;
}

/** The engine's HTTP API, for SDKs and for clients that read runs. */
export function createApi(core: Core, inFlight: InFlight, options: ApiOptions): Hono {
  const api = new Hono();
  api.use("*", refuseOtherSites(options));
  const authorize = requireSigningKey(core.signingKey);
  api.use("/fn/*", authorize);
  api.use("/v0/*", authorize);
  api.use("/v1/*", authorize);
  api.route("/", eventRoutes(core, options.eventKeys));
  api.route("/", registerRoutes(core, options));
  api.route("/", checkpointRoutes(core, inFlight));
  api.route("/", runRoutes(core));
  api.route("/", stateRoutes(core));
  if (!core.signingKey) api.route("/", devRoutes(core));
  // Subscriptions are not supported, so published messages are dropped.
  api.post("/v1/realtime/publish", (c) => c.body("", 200));
  api.post("/v1/signals", (c) => refuse(c, 404, "The local engine does not support signals"));
  api.notFound((c) => refuse(c, 404, `The local engine has no route ${c.req.method} ${c.req.path}`));
  api.onError((error, c) => {
    core.logger.error(`${c.req.method} ${c.req.path}: ${explainFailure(error)}`);
    return refuse(c, 500, "Internal error; see the engine's log");
  });
  return api;
}

/** Refuses what pages of other sites make browsers send. Requests to `ownUrl` come from this process. */
function refuseOtherSites({ ownUrl, refusalOf }: ApiOptions): MiddlewareHandler {
  return async (c, next) => {
    if (new URL(c.req.url).origin === ownUrl) return next();
    const refusal = refusalOf(c.req.raw);
    return refusal ? refuse(c, refusal.status, refusal.message) : next();
  };
}
