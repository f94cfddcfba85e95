import { nameOfThrown } from "@countersign/policy/internal/shared/name-of-thrown";
import { sqlStateOf } from "./sql-states.js";

/** Errors of JavaScript and Zod that no driver raises because of the database. */
const mistakes = ["TypeError", "RangeError", "ReferenceError", "SyntaxError", "ZodError", "$ZodError"];

/** A row without a required value: our own mistake, whatever the state of the database. */
const missingValue = "23502";

/**
 * The error for a failure that the database did not cause: a bug, a missing file, or a row that Countersign should not
 * have written. `undefined` for all other failures. The message holds no value, because messages of drivers and of Zod
 * quote people's data.
 */
export function bugError(verb: string, error: unknown): Error | undefined {
  const name = nameOfThrown(error);
  const code = sqlStateOf(error);
  const isFile = error instanceof Error && "syscall" in error && "path" in error;
  if (!mistakes.includes(name) && !isFile && code !== missingValue) return undefined;
  const kind = [name, code].filter(Boolean).join(", ");
  const mistake = new Error(
    `Countersign failed in store.${verb} (${kind}). This is a bug in Countersign, not a database error. Please report it with this stack.`,
  );
  const frames = error instanceof Error ? /\n\s+at [\s\S]*/.exec(error.stack ?? "")?.[0] : undefined;
  mistake.stack = `${mistake.name}: ${mistake.message}${frames ?? ""}`;
  return mistake;
}
