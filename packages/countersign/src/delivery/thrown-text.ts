import { visibleText } from "@countersign/policy/internal/display/visible-text";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";

const maxMessage = 300;

/**
 * Describes a thrown value for operators: our own errors by their message, others only by their kind and code, because
 * their messages may quote a secret or an address.
 */
export function thrownText(error: unknown): string {
  if (CountersignError.isInstance(error)) return visibleText(error.message, maxMessage);
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  const known = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? ` (${code})` : "";
  const name = nameOfThrown(error);
  return `The channel threw ${/^\w{1,60}$/.test(name) ? name : "an error"}${known}`;
}
