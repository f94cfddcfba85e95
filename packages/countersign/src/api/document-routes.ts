import type { Context, Hono } from "hono";
import type { ApiEnv } from "./api-env.js";
import { openApiDocument } from "./openapi.js";
import { referencePage } from "./reference-page.js";

/** The page holds its own style and nothing else. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** `GET /openapi.json` and `GET /reference`: what the API is like is no secret. */
export function addDocumentRoutes(api: Hono<ApiEnv>): void {
  api.get("/openapi.json", (c) => c.json(openApiDocument({ serverUrl: mountedAt(c, "/openapi.json") })));
  api.get("/reference", (c) => {
    const serverUrl = mountedAt(c, "/reference");
    c.header("content-security-policy", pagePolicy);
    return c.html(referencePage(openApiDocument({ serverUrl }), `${serverUrl}/openapi.json`));
  });
}

/** The path under which the host has mounted the API, known from one of its own. */
function mountedAt(c: Context<ApiEnv>, own: string): string {
  return new URL(c.req.url).pathname.slice(0, -own.length);
}
