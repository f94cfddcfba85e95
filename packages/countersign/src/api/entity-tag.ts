import { createHash } from "node:crypto";
import type { Context } from "hono";
import type { ApiEnv } from "./api-env.js";

/**
 * Responds with JSON and a weak `ETag`, or with 304 if the client's `If-None-Match` has the same tag. The tag ignores
 * `serverTime`, which differs in every response.
 */
export function answerUnlessKnown(c: Context<ApiEnv>, answer: object): Response {
  const { serverTime: _, ...lasting } = { serverTime: undefined, ...answer };
  const hash = createHash("sha256").update(JSON.stringify(lasting)).digest("base64url");
  const tag = `"${hash.slice(0, 32)}"`;
  c.header("etag", `W/${tag}`);
  const known: readonly string[] = c.req.header("if-none-match")?.match(/"[^"]*"/g) ?? [];
  return known.includes(tag) ? c.body(null, 304) : c.json(answer);
}
