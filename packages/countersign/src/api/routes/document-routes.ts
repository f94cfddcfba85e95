import type { Context, Hono } from "hono";
import type { ApiEnv } from "../api-env.js";
import { openApiDocument } from "../openapi.js";
import { referencePage } from "../reference-page.js";

/** The page needs only its inline style. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** `GET /openapi.json` and `GET /reference`: the API's description is public. */
export function addDocumentRoutes(api: Hono<ApiEnv>): void {
  api.get("/openapi.json", (c) => c.json(openApiDocument({ serverUrl: mountedAt(c, "/openapi.json") })));
  api.get("/reference", (c) => {
    const serverUrl = mountedAt(c, "/reference");
    c.header("content-security-policy", pagePolicy);
    return c.html(referencePage(openApiDocument({ serverUrl }), `${serverUrl}/openapi.json`));
  });
}

/** The API's mount path, derived from the path of one of its routes. */
function mountedAt(c: Context<ApiEnv>, own: string): string {
  return new URL(c.req.url).pathname.slice(0, -own.length);
}
