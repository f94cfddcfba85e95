import { type Authenticate, checkedPrincipals } from "@countersign/policy/internal/shared/authenticate";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";
import { Hono } from "hono";
import { secureHeaders } from "hono/secure-headers";
import { apiContext } from "./api/api-context.js";
import type { ApiEnv } from "./api/api-env.js";
import { refuseOtherMethods } from "./api/methods.js";
import { problemResponse } from "./api/problem.js";
import { checkedRateLimit, limitFailures, limitRate, type RateLimit } from "./api/rate-limit.js";
import { addApprovalRoutes } from "./api/routes/approval-routes.js";
import { addAuditRoutes } from "./api/routes/audit-routes.js";
import { addChannelRoutes } from "./api/routes/channel-routes.js";
import { addCompatibilityRoutes } from "./api/routes/compatibility-routes.js";
import { addDecisionRoutes } from "./api/routes/decision-routes.js";
import { addDeliveryRoutes } from "./api/routes/delivery-routes.js";
import { addDocumentRoutes } from "./api/routes/document-routes.js";
import { addEventRoutes } from "./api/routes/event-routes.js";
import { addEvidenceRoutes } from "./api/routes/evidence-routes.js";
import { addGrantRoutes } from "./api/routes/grant-routes.js";
import { addHealthRoutes } from "./api/routes/health-routes.js";
import { addInsightRoutes } from "./api/routes/insight-routes.js";
import { addPeopleRoutes, type ListPeople } from "./api/routes/people-routes.js";
import { addPushRoutes } from "./api/routes/push-routes.js";
import { addSessionRoutes } from "./api/routes/session-routes.js";
import { addStopRoutes } from "./api/routes/stop-routes.js";
import { addThreadRoutes } from "./api/routes/thread-routes.js";
import type { Countersign } from "./instance/countersign.js";

export type { Authenticate } from "@countersign/policy/internal/shared/authenticate";
export type { VerifiedPrincipal } from "@countersign/policy/internal/shared/principal";
export type { ApiEnv } from "./api/api-env.js";
export type { ApprovalView, GrantView } from "./api/contract/approval-schemas.js";
export type { StopView } from "./api/contract/stop-schemas.js";
export type { RateLimit } from "./api/rate-limit.js";
export type { ListPeople, Person } from "./api/routes/people-routes.js";

export interface ApprovalsApiOptions {
  /**
   * Returns the principal of a request, from a verified session or token, or `null` if there is none. Called once per
   * request.
   */
  authenticate: Authenticate;
  /** Roles that see redacted arguments. @default [] (nobody) */
  fullViewRoles?: readonly string[];
  /**
   * Roles that may read, verify and export their tenant's whole audit log, and read any of its calls by id, without what
   * rules hide.
   * @default ["admin", "auditor"]
   */
  auditRoles?: readonly string[];
  /**
   * Roles that may stop their tenant's calls and release stops, with `/stops` and in the inbox, and send failed messages
   * of channels again.
   * @default [] (nobody; operators still can, from the command line)
   */
  stopRoles?: readonly string[];
  /**
   * The people to whom a call can be assigned: those of `principal.tenantId` whom that principal may know. The inbox
   * lists the first thousand by name. Without this option, people type an id. It grants no rights.
   */
  people?: ListPeople;
  /** Maximum requests per principal to this process; `false` for no limit. @default 1,200 a minute */
  rateLimit?: RateLimit | false;
  /**
   * The client's trusted address; `env` is the server's own. After 60 unauthenticated requests in a minute, further
   * requests from that address are refused without calling `authenticate`.
   * @default no limit by address
   */
  clientAddress?: (request: Request, env: unknown) => string | undefined;
  /**
   * Accepts `POST /approve-tool` without a digest. `@inngest/use-agent` sends none. The decision then applies to the
   * call with this id, whatever arguments the person saw.
   * @default false
   */
  approveWithoutDigest?: boolean;
  /** Milliseconds between heartbeats on `GET /events`, each of which also authenticates again. @default 15,000 */
  eventHeartbeatMs?: number;
}

/**
 * The HTTP API of one Countersign instance, to mount where you like. `GET /openapi.json` describes all of
 * it. It answers every path below its mount point, so add your own routes there before it. Errors are problem
 * details (RFC 9457) with a stable `code`.
 *
 * @throws CountersignError `invalid_option` if `authenticate` is missing: there is no anonymous API.
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
      "authenticate: must be a function that returns the verified principal of a request, or null",
    );
  }
  const context = apiContext(countersign, {
    fullViewRoles: options.fullViewRoles ?? [],
    auditRoles: options.auditRoles ?? ["admin", "auditor"],
    stopRoles: options.stopRoles ?? [],
  });
  const api = new Hono<ApiEnv>();
  const rateLimit = checkedRateLimit(options.rateLimit);
  const withFewFailures = limitFailures();

  api.onError((error, c) => problemResponse(c, error, countersign.logger));
  // Only the host knows whether its domain is served over TLS alone.
  api.use("*", secureHeaders({ strictTransportSecurity: false }));
  addDocumentRoutes(api);
  addHealthRoutes(api, context.store);
  addChannelRoutes(api, countersign);

  const authenticate = checkedPrincipals(countersign, options.authenticate);
  const signedIn = async (request: Request, env: unknown): Promise<Principal> => {
    const client = options.clientAddress?.(request, env);
    const principal = await withFewFailures(client, () => authenticate(request));
    if (!principal) throw new CountersignError("unauthenticated", "Send a valid token or sign in");
    return principal;
  };
  // Closed unless opened: every route from here on requires a signed-in principal.
  api.use("*", async (c, next) => {
    c.set("principal", await signedIn(c.req.raw, c.env));
    c.header("cache-control", "no-store");
    // Postgres refuses NUL, and no id contains one, so such a path is unknown.
    if (decodeURIComponentOr(c.req.path).includes("\0"))
      throw new CountersignError("not_found", "The path does not exist");
    await next();
  });
  if (rateLimit) api.use("*", limitRate(rateLimit));
  for (const path of showingApprovals) {
    api.use(path, async (_c, next) => {
      await context.refreshStops();
      await next();
    });
  }

  addSessionRoutes(api, context);
  addPushRoutes(api, context);
  // Register these before the routes with an id in the same place, which would match these names as ids.
  addCompatibilityRoutes(api, context, { approveWithoutDigest: options.approveWithoutDigest ?? false });
  addApprovalRoutes(api, context);
  addDecisionRoutes(api, context);
  addDeliveryRoutes(api, context);
  addPeopleRoutes(api, context, options.people);
  addGrantRoutes(api, context);
  addInsightRoutes(api, context);
  addStopRoutes(api, context);
  addThreadRoutes(api, context);
  addEventRoutes(api, {
    store: context.store,
    row: (approval, reader) => context.view(approval, reader, { omitValues: true }),
    logger: countersign.logger,
    authenticate,
    heartbeatMs: options.eventHeartbeatMs ?? 15_000,
    closing: countersign.closing,
  });
  addAuditRoutes(api, context);
  addEvidenceRoutes(api, context);
  refuseOtherMethods(api);
  // A route instead of `notFound`, which a host that mounts this app would not call.
  api.all("*", () => {
    throw new CountersignError("not_found", "The path does not exist");
  });

  return api;
}

/** Paths whose responses may hold an approval, which says whether a stop covers it. */
const showingApprovals = ["/approvals/*", "/decisions", "/requests/*", "/questions", "/approve-tool"];

function decodeURIComponentOr(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
