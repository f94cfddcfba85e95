import type { Problem } from "../api/contract/problem-schema.js";

/** An error response of the API: its status, its stable code and the whole problem. */
export class ApprovalsApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(readonly problem: Problem) {
    super(problem.detail || problem.title);
    this.name = "ApprovalsApiError";
    this.status = problem.status;
    this.code = problem.code;
  }
}

/**
 * No complete response arrived: the server could not be reached, the connection broke, or `timeoutMs` passed. The
 * request may still have taken effect. `cause` is what `fetch` threw.
 */
export class ApprovalsConnectionError extends Error {
  constructor(cause: unknown) {
    const why = cause instanceof Error && cause.message ? `: ${cause.message}` : "";
    super(`The approvals API did not respond${why}`, { cause });
    this.name = "ApprovalsConnectionError";
  }
}

/** Parses the problem in an error response. A response of something else, such as a proxy, is turned into one. */
export function problemFrom(response: Response, text: string): Problem {
  try {
    const problem: unknown = JSON.parse(text);
    if (typeof problem === "object" && problem !== null && "code" in problem && "status" in problem) {
      return problem as Problem;
    }
  } catch {
    // Not JSON, so not a response of the API.
  }
  return {
    type: "about:blank",
    title: response.statusText || "The server sent an unexpected response",
    status: response.status,
    code: "unexpected_answer",
    detail: `The server responded with status ${response.status} and no problem details`,
    instance: new URL(response.url || "about:blank").pathname,
  };
}
