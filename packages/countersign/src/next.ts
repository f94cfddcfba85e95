/** Any app that answers requests: `approvalsApi(…)`, or a Hono app that mounts it. */
export interface FetchApp {
  fetch(request: Request): Response | Promise<Response>;
}

/** Handles one method of a route, as Next calls it. */
export type RouteHandler = (request: Request) => Promise<Response>;

/** Where the app is mounted in Next's router. */
export interface NextHandlersOptions {
  /**
   * The folder's path, such as `"/api/approvals-app"` for `app/api/approvals-app/[[...route]]/route.ts`, removed from
   * the path before the app sees the request.
   * @default "" (the app gets the whole path)
   */
  basePath?: string;
}

/**
 * Route handlers for Next's App Router, one per method. The app runs in Next's Node runtime.
 *
 * @throws TypeError if `basePath` does not begin with a slash.
 *
 * @example
 * ```ts
 * import type { Countersign, Principal } from "countersign";
 * import { approvalsApi } from "countersign/hono";
 * import { toNextHandlers } from "countersign/next";
 *
 * declare const countersign: Countersign;
 * declare function session(request: Request): Promise<Principal | null>;
 *
 * export const runtime = "nodejs";
 * export const { GET, POST, PUT, DELETE } = toNextHandlers(approvalsApi(countersign, { authenticate: session }), {
 *   basePath: "/api/approvals-app",
 * });
 * ```
 */
export function toNextHandlers(
  app: FetchApp,
  { basePath = "" }: NextHandlersOptions = {},
): Record<"GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS", RouteHandler> {
  if (basePath !== "" && !basePath.startsWith("/")) {
    throw new TypeError(`basePath: must start with a slash, as in "/api/approvals-app"`);
  }
  const prefix = basePath.replace(/\/+$/, "");
  const handle: RouteHandler = async (request) =>
    app.fetch(prefix === "" ? request : without(prefix, request));
  return {
    GET: handle,
    POST: handle,
    PUT: handle,
    PATCH: handle,
    DELETE: handle,
    HEAD: handle,
    OPTIONS: handle,
  };
}

function without(prefix: string, request: Request): Request {
  const url = new URL(request.url);
  if (url.pathname !== prefix && !url.pathname.startsWith(`${prefix}/`)) return request;
  url.pathname = url.pathname.slice(prefix.length) || "/";
  // Next passes its own kind of Request; a plain one with the same parts works everywhere.
  return new Request(url, {
    method: request.method,
    headers: request.headers,
    body: request.body,
    signal: request.signal,
    ...(request.body ? { duplex: "half" } : {}),
  } as RequestInit);
}
