import { CountersignError, type CountersignErrorCode } from "@countersign/policy/internal/shared/errors";
import { NonRetriableError } from "inngest";

/** A developer's mistake: Inngest ends the run and does not repeat it, because a retry would not fix anything. */
export function mistake(code: CountersignErrorCode, message: string): Error {
  return final(new CountersignError(code, message));
}

/** The same for an error that is there already. Errors that are not ours stay as they are. */
export function final(error: unknown): Error {
  if (!CountersignError.isInstance(error)) return error instanceof Error ? error : new Error(String(error));
  return Object.assign(new NonRetriableError(error.message, { cause: error }), { code: error.code });
}

const mistakes: readonly CountersignErrorCode[] = ["invalid_context", "invalid_option", "unguarded_agent"];

/** Retrying does not fix a developer's mistake. */
export function notRetriable(error: unknown): unknown {
  return CountersignError.isInstance(error) && mistakes.includes(error.code) ? final(error) : error;
}
