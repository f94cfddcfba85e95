import type { Hono } from "hono";
import type { ApiEnv } from "../api-env.js";
import { openApiDocument } from "../openapi.js";

const path = "/openapi.json";

/** `GET /openapi.json`: the API's description is public. */
export function addDocumentRoutes(api: Hono<ApiEnv>): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  api.get(path, (c) => {
    // Anyone may ask for it, and generating it takes long.
    document ??= openApiDocument();
    // The path at which the API is mounted.
    const url = new URL(c.req.url).pathname.slice(0, -path.length);
    return c.json({ ...document, servers: [{ url }] });
  });
}
