import { CountersignError, errorTable } from "@countersign/policy/internal/shared/errors";
import { consoleLogger, type Logger } from "@countersign/policy/internal/shared/logger";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import type { Context } from "hono";
import type { HTTPException } from "hono/http-exception";
import type { Problem } from "./contract/problem-schema.js";

/** Problem details (RFC 9457) for any error. Unexpected errors reveal nothing about their cause. */
export function problemResponse(c: Context, error: unknown, logger: Logger = consoleLogger): Response {
  if (CountersignError.isInstance(error)) return answer(problemOf(error, c.req.path));
  if (isOfHono(error)) {
    return problem(c, error.status, {
      code: "invalid_request",
      title: "The request is invalid",
      detail: error.message,
    });
  }
  logger.error("Unexpected error in the approvals API", { error: nameOfThrown(error), path: c.req.path });
  return problem(c, 500, {
    code: "internal",
    title: "Internal error",
    detail: "No decision was recorded. Try again, or ask the operator to check the server log.",
  });
}

function problem(
  c: Context,
  status: number,
  body: { code: string; title: string; [key: string]: unknown },
): Response {
  const type = `urn:countersign:error:${body.code}`;
  return answer({ detail: body.title, ...body, type, status, instance: c.req.path });
}

/** Problem details for a CountersignError. */
export function problemOf({ code, message, detail }: CountersignError, instance: string): Problem {
  const { status, title } = errorTable[code];
  const type = `urn:countersign:error:${code}`;
  return { ...detail, code, title, detail: message, type, status, instance };
}

function answer(problem: Problem): Response {
  const headers = new Headers({ "content-type": "application/problem+json", "cache-control": "no-store" });
  if (problem.status === 401) headers.set("www-authenticate", "Bearer");
  if (problem.status === 429 || problem.status === 503)
    headers.set("retry-after", String(problem.retryAfter ?? 1));
  return new Response(JSON.stringify(problem), { status: problem.status, headers });
}

/** By its form: this module is loaded where Hono need not be. */
function isOfHono(error: unknown): error is HTTPException {
  return error instanceof Error && "getResponse" in error && "status" in error;
}
