import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type * as z from "zod";

/** An error response in the format that the SDK reads. */
export function refuse(c: Context, status: ContentfulStatusCode, error: string): Response {
  return c.json({ error, status }, status);
}

/** Describes the first invalid field of a body. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (!issue) return "Invalid request body";
  // All alternatives of a union fail. The deepest problem belongs to the alternative that the client meant.
  const candidates = issue.code === "invalid_union" ? issue.errors.flat() : [issue];
  const deepest = candidates.reduce(
    (a, b) => (b.path.length > a.path.length ? b : a),
    candidates[0] ?? issue,
  );
  const path = [...(issue.code === "invalid_union" ? issue.path : []), ...deepest.path].join(".");
  return path === "" ? deepest.message : `${path}: ${deepest.message}`;
}

/** Parses a body as JSON. Returns undefined if it is not JSON. */
export async function readJson(c: Context): Promise<unknown> {
  try {
    return JSON.parse(await c.req.text());
  } catch {
    return undefined;
  }
}
