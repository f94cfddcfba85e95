import * as z from "zod";

/** An error response of Slack, or a failure of the connection to it. Holds no token and no text of a message. */
export class SlackFailure extends Error {
  /**
   * Slack's error code, or `http_<status>`, `timeout`, `unexpected_answer`, `disconnected`. The request has not reached
   * Slack with `unreachable` and `unavailable`.
   */
  readonly code: string;
  readonly retryAfterMs: number | undefined;
  /** Scopes that the token lacks. */
  readonly needed: string | undefined;

  constructor({ code, retryAfterMs, needed }: { code: string; retryAfterMs?: number; needed?: string }) {
    super(`Slack: ${code}`);
    this.name = "SlackFailure";
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.needed = needed;
  }

  /** Reads an error of the library by its code, since several copies of it may be loaded. */
  static of(error: unknown): SlackFailure {
    const read = thrown.safeParse(error);
    if (!read.success) return new SlackFailure({ code: "disconnected" });
    const { data } = read;
    if (data.code === "slack_webapi_rate_limited_error") {
      return new SlackFailure({ code: "ratelimited", retryAfterMs: data.retryAfter * 1000 });
    }
    if (data.code === "slack_webapi_request_error") {
      const { code } = data.original.cause;
      return new SlackFailure({ code: notConnected.includes(code) ? "unreachable" : "disconnected" });
    }
    if (data.code === "slack_webapi_http_error") {
      const { statusCode, headers } = data;
      const isProxy = statusCode === 503 && !Object.keys(headers).some((name) => /^x-slack-/i.test(name));
      return new SlackFailure({ code: isProxy ? "unavailable" : `http_${statusCode}` });
    }
    const { error: code, needed, response_metadata } = data.data;
    const retryAfter = response_metadata?.retryAfter;
    return new SlackFailure({
      code,
      ...(needed !== undefined && { needed }),
      ...(retryAfter !== undefined && { retryAfterMs: retryAfter * 1000 }),
    });
  }

  static is(error: unknown, ...codes: string[]): error is SlackFailure {
    return error instanceof SlackFailure && codes.includes(error.code);
  }
}

/** Codes of failures before a connection was made. */
const notConnected: readonly string[] = [
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
];

const seconds = z.number().nonnegative();

const thrown = z.discriminatedUnion("code", [
  z.object({ code: z.literal("slack_webapi_rate_limited_error"), retryAfter: seconds }),
  z.object({
    code: z.literal("slack_webapi_http_error"),
    statusCode: z.number().int(),
    headers: z.record(z.string(), z.unknown()),
  }),
  z.object({
    code: z.literal("slack_webapi_request_error"),
    original: z.object({ cause: z.object({ code: z.string() }) }),
  }),
  z.object({
    code: z.literal("slack_webapi_platform_error"),
    data: z.object({
      // An answer that is not JSON is here in full, for example a proxy's page.
      error: z
        .string()
        .regex(/^[a-z0-9_]{1,80}$/)
        .catch("unexpected_answer"),
      needed: z
        .string()
        .regex(/^[a-z:._, ]{1,200}$/)
        .optional()
        .catch(undefined),
      response_metadata: z.object({ retryAfter: seconds.optional().catch(undefined) }).optional(),
    }),
  }),
]);
