import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { apiContext } from "./api/api-context.js";
import type { ApiEnv } from "./api/api-env.js";
import { addApprovalRoutes } from "./api/approval-routes.js";
import { addAuditRoutes } from "./api/audit-routes.js";
import { addCompatibilityRoutes } from "./api/compatibility-routes.js";
import { addDecisionRoutes } from "./api/decision-routes.js";
import { addDocumentRoutes } from "./api/document-routes.js";
import { addEventRoutes } from "./api/event-routes.js";
import { addEvidenceRoutes } from "./api/evidence-routes.js";
import { addGrantRoutes } from "./api/grant-routes.js";
import { addHealthRoutes } from "./api/health-routes.js";
import { refuseOtherMethods } from "./api/methods.js";
import { addPeopleRoutes, type People } from "./api/people-routes.js";
import { problemResponse } from "./api/problem.js";
import { checkedRateLimit, limitFailures, limitRate, type RateLimit } from "./api/rate-limit.js";
import { addSessionRoutes } from "./api/session-routes.js";
import { addThreadRoutes } from "./api/thread-routes.js";
import type { Countersign } from "./create-countersign.js";
import { CountersignError } from "./errors.js";
import { type Principal, principalSchema } from "./principal.js";

export type { ApprovalView, GrantView } from "./api/contract/approval-schemas.js";
export type { Person } from "./api/people-routes.js";
export type { RateLimit } from "./api/rate-limit.js";

export interface ApprovalsApiOptions {
  /**
   * Who sends this request, from a verified session or token; `null` for nobody. Called once a request.
   */
  authenticate: (request: Request) => Principal | null | Promise<Principal | null>;
  /** Roles that see the arguments which rules redact; left out, nobody does. */
  fullViewRoles?: readonly string[];
  /** Roles that may read, verify and export their tenant's whole audit log; `["admin", "auditor"]` where left out. */
  auditRoles?: readonly string[];
  /**
   * Whom somebody can pass a call on to: people of `principal.tenantId`, and only as far as that principal may know them.
   * The inbox offers the first thousand by name; left out, people type an id. It gives nobody a right.
   */
  people?: People;
  /** Requests that one principal may send to this process; 1,200 a minute where left out, `false` for no limit. */
  rateLimit?: RateLimit | false;
  /**
   * The address of whoever sends a request, as far as you can trust it; `env` is the server's own. After 60 requests in a
   * minute that were not signed in, it is refused without being asked. Left out: nobody is.
   */
  clientAddress?: (request: Request, env: unknown) => string | undefined;
  /** Milliseconds between two signs of life on `GET /events`, which also ask who is signed in; 15,000 where left out. */
  eventHeartbeatMs?: number;
}

/**
 * The HTTP API of one Countersign instance, to be mounted where you like; `GET /reference` and `GET /openapi.json` describe
 * all of it.
 * Errors are problem details (RFC 9457) with a stable `code`.
 *
 * @throws CountersignError `invalid_option` where `authenticate` is missing: there is no anonymous API.
 *
 * @example
 * ```ts
 * import { Hono } from "hono";
 * import type { Countersign, Principal } from "countersign";
 * import { approvalsApi } from "countersign/hono";
 *
 * export function app(countersign: Countersign, session: (request: Request) => Promise<Principal | null>) {
 *   return new Hono().route("/api", approvalsApi(countersign, { authenticate: session }));
 * }
 * ```
 */
export function approvalsApi(countersign: Countersign, options: ApprovalsApiOptions): Hono<ApiEnv> {
  if (typeof options?.authenticate !== "function") {
    throw new CountersignError(
      "invalid_option",
      "authenticate: the approvals API needs a function that returns the verified principal of a request, or null",
    );
  }
  const context = apiContext(countersign, {
    fullViewRoles: options.fullViewRoles ?? [],
    auditRoles: options.auditRoles ?? ["admin", "auditor"],
  });
  const { store } = countersign;
  const api = new Hono<ApiEnv>();
  const rateLimit = checkedRateLimit(options.rateLimit);
  const withFewFailures = limitFailures();

  api.onError((error, c) => problemResponse(c, error));
  api.notFound((c) => problemResponse(c, new CountersignError("not_found", "There is nothing here")));
  api.use("*", secureHeaders());
  addDocumentRoutes(api);
  addHealthRoutes(api, store);

  const signedIn = async (request: Request, env: unknown): Promise<Principal> => {
    const client = options.clientAddress?.(request, env);
    const principal = await withFewFailures(client, async () => options.authenticate(request));
    if (!principal) throw new CountersignError("unauthenticated", "Send a valid token or sign in");
    return principalSchema.parse(principal);
  };
  // Closed unless opened: whatever is served from here on needs somebody who is signed in.
  api.use("*", async (c, next) => {
    c.set("principal", await signedIn(c.req.raw, c.env));
    c.header("cache-control", "no-store");
    // No id of ours holds a NUL, which Postgres refuses: what carries one is unknown.
    if (decodeURIComponentOr(c.req.path).includes("\0"))
      throw new CountersignError("not_found", "There is nothing here");
    await next();
  });
  if (rateLimit) api.use("*", limitRate(rateLimit));

  addSessionRoutes(api, context);
  // Before those with an id in their place, which would take their names for one.
  addCompatibilityRoutes(api, context);
  addApprovalRoutes(api, context);
  addDecisionRoutes(api, context);
  addPeopleRoutes(api, context, options.people);
  addGrantRoutes(api, context);
  addThreadRoutes(api, context);
  addEventRoutes(api, {
    store,
    authenticate: options.authenticate,
    heartbeatMs: options.eventHeartbeatMs ?? 15_000,
  });
  addAuditRoutes(api, context);
  addEvidenceRoutes(api, context);
  refuseOtherMethods(api);

  return api;
}

function decodeURIComponentOr(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
