/**
 * Every error that Countersign raises on purpose: its code, the HTTP status that the API answers with, and
 * what a caller can do. Branch on `code`: after a step boundary an error is plain data and `instanceof` fails.
 */
export const errorTable = {
  invalid_policy: { status: 500, title: "The policy cannot be used" },
  invalid_option: { status: 500, title: "An option of Countersign is wrong" },
  unauthenticated: { status: 401, title: "Sign in first" },
  forbidden: { status: 403, title: "You may not decide this" },
  auditors_only: { status: 403, title: "Only auditors may read the whole log" },
  self_approval: { status: 403, title: "You may not decide your own request" },
  decision_not_allowed: { status: 409, title: "This call cannot be decided in this way" },
  not_found: { status: 404, title: "Not found" },
  thread_not_found: { status: 404, title: "Thread not found" },
  method_not_allowed: { status: 405, title: "This cannot be done here" },
  unsupported_media_type: { status: 415, title: "The body must be JSON" },
  invalid_request: { status: 400, title: "The request is malformed" },
  invalid_edit: { status: 400, title: "The changed arguments cannot be used" },
  invalid_response: { status: 400, title: "The answer does not fit the question" },
  edit_not_allowed: { status: 403, title: "These changes need somebody else" },
  grant_not_allowed: { status: 403, title: "This call cannot be allowed for the future" },
  invalid_grant: { status: 400, title: "The grant cannot be used" },
  grant_limit: { status: 409, title: "Too many grants stand already" },
  call_refused: { status: 409, title: "The call was refused before anybody was asked" },
  not_open: { status: 409, title: "This call is not open for decisions yet" },
  already_decided: { status: 409, title: "Somebody has already decided" },
  digest_mismatch: { status: 409, title: "The call differs from the one that you were shown" },
  withdrawn: { status: 409, title: "The call was withdrawn" },
  expired: { status: 410, title: "The time to decide has run out" },
  idempotency_key_reused: { status: 422, title: "This key belongs to another request" },
  too_many_requests: { status: 429, title: "Too many requests at once" },
  invalid_extension: { status: 400, title: "The time cannot be lengthened by that much" },
  no_extension_left: { status: 409, title: "The time cannot be lengthened any more" },
  not_interrupted: { status: 409, title: "This call was not cut off" },
  already_resolved: { status: 409, title: "Somebody has already recorded what became of it" },
  no_rerun: { status: 409, title: "This call cannot be made again by itself" },
  unguarded_call: { status: 500, title: "The tool call was not reviewed" },
  outside_inngest: { status: 500, title: "Gated tools need an Inngest function" },
  step_in_plain_handler: { status: 500, title: "A plain handler used a step" },
  not_ready: { status: 503, title: "Not ready yet" },
  database_failed: { status: 503, title: "The database did not answer as it should" },
} as const satisfies Record<string, { status: number; title: string }>;

export type CountersignErrorCode = keyof typeof errorTable;

const marker = Symbol.for("countersign:error");

/**
 * An error with a stable `code` from {@link errorTable}. `detail` carries what a caller may show or act on and
 * never holds a tool's arguments.
 *
 * @example
 * ```ts
 * import { CountersignError } from "countersign";
 *
 * export function explain(error: unknown): string {
 *   return CountersignError.isInstance(error) ? error.code : "unknown";
 * }
 * ```
 */
export class CountersignError extends Error {
  readonly code: CountersignErrorCode;
  readonly detail: Readonly<Record<string, unknown>>;

  constructor(
    code: CountersignErrorCode,
    message: string,
    options: { detail?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "CountersignError";
    this.code = code;
    this.detail = options.detail ?? {};
    Object.defineProperty(this, marker, { value: true });
  }

  /** HTTP status that the approvals API answers with. */
  get status(): number {
    return errorTable[this.code].status;
  }

  /** True for errors of any copy of this package, unlike `instanceof`. */
  static isInstance(error: unknown): error is CountersignError {
    return typeof error === "object" && error !== null && marker in error;
  }
}
