import type { z } from "zod";

/** An RFC 9457 response. */
export function problem(
  status: number,
  title: string,
  detail: string,
  more: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Response {
  return new Response(JSON.stringify({ type: "about:blank", title, status, detail, ...more }), {
    status,
    headers: { "content-type": "application/problem+json", ...headers },
  });
}

export function unauthenticated(): Response {
  return problem(
    401,
    "Sign in first",
    "Send one of the demo's tokens as a header, such as Authorization: Bearer demo-requester.",
    { code: "unauthenticated" },
    { "www-authenticate": 'Bearer realm="demo"' },
  );
}

/** A 400 response that names each invalid field. */
export function invalidRequest(error: z.ZodError): Response {
  const errors = error.issues.map((issue) => ({
    field: issue.path.join(".") || "body",
    message: issue.message,
  }));
  const detail = errors.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return problem(400, "The request is invalid", detail, { code: "invalid_request", errors });
}
