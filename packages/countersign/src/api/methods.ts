import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Context, Hono } from "hono";
import type { ApiEnv } from "./api-env.js";
import { problemResponse } from "./problem.js";

/**
 * Handles unsupported methods of existing routes: OPTIONS returns the allowed methods, all others return 405.
 * Register it after the routes.
 */
export function refuseOtherMethods(api: Hono<ApiEnv>): void {
  const methods = new Map<string, string[]>();
  for (const { method, path } of api.routes) {
    if (method === "ALL") continue;
    const known = methods.get(path) ?? [];
    if (!known.includes(method)) methods.set(path, [...known, method]);
  }
  for (const [path, known] of methods) {
    const allow = [...known, ...(known.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort().join(", ");
    api.all(path, (c) => (c.req.method === "OPTIONS" ? c.body(null, 204, { allow }) : refused(c, allow)));
  }
}

function refused(c: Context<ApiEnv>, allow: string): Response {
  const text = `${c.req.method} is not supported here; use ${allow}`;
  const response = problemResponse(c, new CountersignError("method_not_allowed", text));
  response.headers.set("allow", allow);
  return response;
}
