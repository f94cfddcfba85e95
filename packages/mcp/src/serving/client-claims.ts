import { randomUUID } from "node:crypto";
import * as z from "zod";
import type { Elicitation } from "./reader.js";
import { elicitationIn } from "./tools/decision-tools.js";

const sessionHeader = "mcp-session-id";
const sessionId = /^cs-(u?)(f?)-[0-9a-f-]{36}$/;

const initialize = z.object({
  method: z.literal("initialize"),
  params: z.object({ capabilities: z.unknown() }),
});

/**
 * Clients before 2026 declare their elicitation modes only once. The session's id repeats them, so that any process can
 * answer the next request. They grant nothing: a client that changes the id only misinforms about itself.
 */
export function claimsOf(request: Request): Elicitation {
  const [, url, form] = sessionId.exec(request.headers.get(sessionHeader) ?? "") ?? [];
  return { url: url === "u", form: form === "f" };
}

/** Adds the session's id to the answer of `initialize`. */
export function withSession(body: unknown, response: Response): Response {
  const opening = initialize.safeParse(body);
  if (!opening.success || !response.ok) return response;
  const { url, form } = elicitationIn(opening.data.params.capabilities);
  const headers = new Headers(response.headers);
  headers.set(sessionHeader, `cs-${url ? "u" : ""}${form ? "f" : ""}-${randomUUID()}`);
  return new Response(response.body, { status: response.status, headers });
}
