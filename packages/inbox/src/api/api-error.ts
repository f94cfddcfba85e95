/** Problem details (RFC 9457) as the API sends them. */
export interface Problem {
  code: string;
  title: string;
  detail: string;
  status: number;
  errors?: { field: string; message: string }[];
  decision?: { type?: string; decidedBy?: string | null } | undefined;
  [key: string]: unknown;
}

/** The API answered, and said no. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.detail);
  }

  get code(): string {
    return this.problem.code;
  }
}

/** No answer came: nobody knows whether the request arrived. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** What a failed response says; answers that are no problem details get one of ours. */
export async function problemOf(response: Response): Promise<Problem> {
  const fallback: Problem = {
    code: response.status === 404 ? "not_found" : "unexpected",
    title: "The server answered in an unexpected way",
    detail: `The answer had the status ${response.status}.`,
    status: response.status,
  };
  const body: unknown = await response.json().catch(() => undefined);
  return typeof body === "object" && body !== null ? { ...fallback, ...body } : fallback;
}
