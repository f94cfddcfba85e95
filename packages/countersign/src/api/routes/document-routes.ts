import type { Hono } from "hono";
import type { ApiEnv } from "../api-env.js";
import { openApiDocument } from "../openapi.js";

const path = "/openapi.json";

/** `GET /openapi.json`: the API's description is public. */
export function addDocumentRoutes(api: Hono<ApiEnv>): void {
  api.get(path, (c) => {
    // The path at which the API is mounted.
    const serverUrl = new URL(c.req.url).pathname.slice(0, -path.length);
    return c.json(openApiDocument({ serverUrl }));
  });
}
