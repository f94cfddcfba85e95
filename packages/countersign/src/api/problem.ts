import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { z } from "zod";
import { CountersignError, errorTable } from "../errors.js";
import { nameOfThrown } from "../name-of-thrown.js";
import type { Problem } from "./contract/problem-schema.js";

/** One wrong field of a request: where it is and what would be right. */
export interface FieldProblem {
  field: string;
  message: string;
}

/** Problem details (RFC 9457) for any error; what nobody foresaw says nothing about itself. */
export function problemResponse(c: Context, error: unknown): Response {
  if (CountersignError.isInstance(error)) return answer(problemOf(error, c.req.path));
  if (error instanceof HTTPException) {
    return problem(c, error.status, {
      code: "invalid_request",
      title: "The request was refused",
      detail: error.message,
    });
  }
  console.error("Countersign: an unforeseen error in the approvals API:", nameOfThrown(error));
  return problem(c, 500, {
    code: "internal",
    title: "Something went wrong on our side",
    detail: "Nothing was decided. Try again; the operator finds the cause in the log.",
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

/** The problem that tells of an error of ours. */
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

/** The 400 about one wrong field. */
export function refusedField(field: string, message: string): CountersignError {
  return new CountersignError("invalid_request", `${field}: ${message}`, {
    detail: { errors: [{ field, message }] },
  });
}

/** The value by its schema, or a 400 that names every wrong field. */
export function parseOrRefuse<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors: FieldProblem[] = parsed.error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    const fields = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
    return fields.map((field) => ({ field: field.join(".") || where, message: issue.message }));
  });
  const words = errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
  throw new CountersignError("invalid_request", words, { detail: { errors } });
}
