import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { ApiEnv } from "./api/api-env.js";
import { approvalView } from "./api/approval-view.js";
import { addAuditRoutes } from "./api/audit-routes.js";
import { decodeCursor, encodeCursor } from "./api/cursor.js";
import { addEventRoutes } from "./api/event-routes.js";
import { addGrantRoutes } from "./api/grant-routes.js";
import { addPeopleRoutes } from "./api/people-routes.js";
import { parseOrRefuse, problemResponse } from "./api/problem.js";
import { decisionBody, listQuery, threadsQuery } from "./api/requests.js";
import type { Approval } from "./approval/approval.js";
import { mayStandFor } from "./approval/grant.js";
import { mayDecide, maySee } from "./approval/who-decides.js";
import type { Countersign } from "./create-countersign.js";
import { CountersignError } from "./errors.js";
import { type Principal, principalSchema } from "./principal.js";

export type { ApprovalView } from "./api/approval-view.js";
export type { GrantView } from "./api/grant-routes.js";

export interface ApprovalsApiOptions {
  /**
   * Who sends this request, from a verified session or token; `null` for nobody. Called once a request.
   */
  authenticate: (request: Request) => Principal | null | Promise<Principal | null>;
  /** Roles that see the arguments which rules redact; left out, nobody does. */
  fullViewRoles?: readonly string[];
  /** Roles that may read, verify and export their tenant's whole audit log; `["admin", "auditor"]` where left out. */
  auditRoles?: readonly string[];
  /** Milliseconds between two signs of life on `GET /events`, which also ask who is signed in; 15,000 where left out. */
  eventHeartbeatMs?: number;
}

/** Largest body of a decision, in bytes. */
const maxBodyBytes = 20 * 1024 * 1024;

/**
 * The HTTP API of one Countersign instance, to be mounted where you like:
 * `GET /approvals`, `GET /approvals/:id`, `POST /approvals/:id/decision`, `POST /approvals/:id/assign`,
 * `POST /approvals/:id/viewing`, `POST /approvals/:id/extend`, `POST /approvals/:id/resolution`, `GET /threads`,
 * `GET /threads/:id`, `GET /grants`, `GET /grants/:id`, `POST /grants/:id/revoke`,
 * `GET /events` (server-sent), `GET /audit`, `GET /audit/verify`, `GET /audit/export`, `GET /approvals/:id/audit`.
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
  const { store, threads } = countersign;
  const seesEverything = ({ roles }: Principal) =>
    roles.some((role) => options.fullViewRoles?.includes(role) ?? false);
  const view = (approval: Approval, reader: Principal) =>
    approvalView(approval, {
      seesEverything: seesEverything(reader),
      mayGiveGrants: mayDecide(approval, reader) && mayStandFor(approval, reader),
    });
  const api = new Hono<ApiEnv>();

  api.onError((error, c) => problemResponse(c, error));

  const signedIn = async (request: Request): Promise<Principal> => {
    const principal = await options.authenticate(request);
    if (!principal) throw new CountersignError("unauthenticated", "Send a valid token or sign in");
    return principalSchema.parse(principal);
  };
  for (const path of [
    "/approvals",
    "/approvals/*",
    "/audit",
    "/audit/*",
    "/events",
    "/threads",
    "/threads/*",
    "/grants",
    "/grants/*",
  ]) {
    api.use(path, async (c, next) => {
      c.set("principal", await signedIn(c.req.raw));
      c.header("cache-control", "no-store");
      await next();
    });
  }

  // No id of ours holds a NUL, which Postgres refuses: what carries one is unknown.
  api.use("*", async (c, next) => {
    if (decodeURIComponentOr(c.req.path).includes("\0"))
      throw new CountersignError("not_found", "There is nothing here");
    await next();
  });

  api.get("/approvals", async (c) => {
    const principal = c.get("principal");
    const query = parseOrRefuse(listQuery, c.req.query(), "query");
    const found = await store.listApprovals({
      tenantId: principal.tenantId,
      visibleTo: principal,
      limit: query.limit + 1,
      ...(query.status ? { statuses: [query.status] } : {}),
      ...(query.threadId ? { threadId: query.threadId } : {}),
      ...(query.assignee ? { assigneeId: query.assignee === "me" ? principal.id : query.assignee } : {}),
      ...(query.cursor ? { after: decodeCursor(query.cursor) } : {}),
    });
    const items = found.slice(0, query.limit);
    const last = items.at(-1);
    const nextCursor = found.length > query.limit && last ? encodeCursor(last) : null;
    return c.json({ items: items.map((item) => view(item, principal)), nextCursor });
  });

  api.get("/approvals/:id", async (c) => {
    const principal = c.get("principal");
    const approval = await store.getApproval(principal.tenantId, c.req.param("id"));
    if (!approval || !maySee(approval, principal)) {
      throw new CountersignError("not_found", "There is no such approval, or you may not see it");
    }
    return c.json(view(approval, principal));
  });

  api.post("/approvals/:id/decision", bodyLimit({ maxSize: maxBodyBytes }), async (c) => {
    const json: unknown = await c.req.json().catch(() => undefined);
    const body = parseOrRefuse(decisionBody, json, "body");
    const approval = await countersign.decide({
      approvalId: c.req.param("id"),
      principal: c.get("principal"),
      type: body.type,
      digest: body.digest,
      seesEverything: seesEverything(c.get("principal")),
      reason: body.reason ?? null,
      ...(body.grant === undefined ? {} : { grant: body.grant }),
      ...(body.input === undefined ? {} : { input: body.input }),
      ...(body.response === undefined ? {} : { responseJson: JSON.stringify(body.response) }),
    });
    return c.json(view(approval, c.get("principal")));
  });

  api.get("/threads", async (c) => {
    const { limit } = parseOrRefuse(threadsQuery, c.req.query(), "query");
    return c.json({ items: await threads.list(c.get("principal"), limit) });
  });

  api.get("/threads/:id", async (c) => {
    const reader = c.get("principal");
    const view = { seesEverything: seesEverything(reader) };
    return c.json(await threads.read(c.req.param("id"), reader, view));
  });

  addEventRoutes(api, {
    store,
    authenticate: options.authenticate,
    heartbeatMs: options.eventHeartbeatMs ?? 15_000,
  });
  addPeopleRoutes(api, countersign, view);
  addGrantRoutes(api, store);
  addAuditRoutes(api, store, options.auditRoles ?? ["admin", "auditor"]);

  return api;
}

function decodeURIComponentOr(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
