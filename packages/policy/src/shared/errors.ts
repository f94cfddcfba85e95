/**
 * Every error that Countersign raises deliberately: its code, its HTTP status in the API, and its title. Branch on
 * `code`: an error that crosses a step boundary becomes plain data, so `instanceof` fails.
 */
export const errorTable = {
  invalid_policy: { status: 500, title: "The policy cannot be used" },
  invalid_option: { status: 500, title: "A Countersign option is invalid" },
  unauthenticated: { status: 401, title: "Sign in first" },
  forbidden: { status: 403, title: "You may not decide this" },
  auditors_only: { status: 403, title: "Only auditors may read the whole audit log" },
  self_approval: { status: 403, title: "You may not approve your own request" },
  decision_not_allowed: { status: 409, title: "This decision type is not allowed for this call" },
  wrong_place: { status: 403, title: "This call must be decided elsewhere" },
  not_found: { status: 404, title: "Not found" },
  thread_not_found: { status: 404, title: "Thread not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  too_large: { status: 413, title: "The request body is too large" },
  unsupported_media_type: { status: 415, title: "The request body must be JSON" },
  invalid_request: { status: 400, title: "The request is invalid" },
  digest_required: { status: 400, title: "The decision must include the digest of the call" },
  invalid_edit: { status: 400, title: "The edited arguments are invalid" },
  invalid_response: { status: 400, title: "The answer does not match the question" },
  edit_not_allowed: { status: 403, title: "Someone else must make these changes" },
  grant_not_allowed: { status: 403, title: "This call does not allow a grant" },
  invalid_grant: { status: 400, title: "The grant is invalid" },
  grant_limit: { status: 409, title: "Too many active grants" },
  call_refused: { status: 409, title: "The call was refused before anyone was asked" },
  not_open: { status: 409, title: "This call cannot be decided yet" },
  already_decided: { status: 409, title: "This call has already been decided" },
  too_late: { status: 409, title: "The decision has taken effect" },
  stopped: { status: 409, title: "An operator has stopped calls of this tool" },
  stops_not_allowed: { status: 403, title: "You may not stop or release calls" },
  stop_limit: { status: 409, title: "Too many stops are engaged" },
  digest_mismatch: { status: 409, title: "The call differs from the one you were shown" },
  digest_changed: { status: 409, title: "The stored call was changed after it was proposed" },
  withdrawn: { status: 409, title: "The call was withdrawn" },
  expired: { status: 410, title: "The approval has expired" },
  approval_id_taken: { status: 409, title: "Another call already has this approval id" },
  push_not_configured: { status: 409, title: "This server sends no push messages" },
  too_many_requests: { status: 429, title: "Too many requests" },
  invalid_extension: { status: 400, title: "The extension is too long or too short" },
  invalid_snooze: { status: 400, title: "The call cannot be put aside until then" },
  no_extension_left: { status: 409, title: "No extensions left" },
  not_undoable: { status: 409, title: "This call cannot be undone" },
  not_interrupted: { status: 409, title: "This call was not interrupted" },
  already_resolved: { status: 409, title: "Someone has already recorded the outcome" },
  no_rerun: { status: 409, title: "This call cannot be re-run without a new approval" },
  unguarded_call: { status: 500, title: "The tool call was not reviewed" },
  unguarded_agent: { status: 500, title: "The agent cannot be guarded" },
  invalid_context: { status: 500, title: "The run context is invalid" },
  outside_inngest: { status: 500, title: "Gated tools must run in an Inngest function" },
  step_in_plain_handler: { status: 500, title: "A plain handler used a step tool" },
  not_migrated: { status: 503, title: "The database has not been migrated" },
  signing_failed: { status: 503, title: "The decision could not be signed" },
  signing_key_missing: { status: 500, title: "This process has no signingKey" },
  run_not_started: { status: 503, title: "The agent's run could not be started" },
  database_failed: { status: 503, title: "The database query failed" },
} as const satisfies Record<string, { status: number; title: string }>;

export type CountersignErrorCode = keyof typeof errorTable;

export function isErrorCode(text: string): text is CountersignErrorCode {
  return Object.hasOwn(errorTable, text);
}

const marker = Symbol.for("countersign:error");

/**
 * An error with a stable `code` from {@link errorTable}. `detail` holds data that a caller may show or act on. It
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

  /** HTTP status of the API response. */
  get status(): number {
    return errorTable[this.code].status;
  }

  /** Recognizes errors from any copy of this package, unlike `instanceof`. */
  static isInstance(error: unknown): error is CountersignError {
    return typeof error === "object" && error !== null && marker in error;
  }
}
