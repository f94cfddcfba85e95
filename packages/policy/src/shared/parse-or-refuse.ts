import type * as z from "zod";
import { CountersignError } from "./errors.js";
import { fieldProblems, problemText } from "./zod-problems.js";

/** The refusal of a request for one field. */
export function refusedField(field: string, message: string): CountersignError {
  return new CountersignError("invalid_request", `${field}: ${message}`, {
    detail: { errors: [{ field, message }] },
  });
}

/**
 * Parses a value of a request.
 *
 * @param where What the value is, such as `body`, for a problem that is not about one field.
 * @throws CountersignError `invalid_request`, naming every wrong field.
 */
export function parseOrRefuse<T extends z.ZodType>(schema: T, value: unknown, where: string): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = fieldProblems(parsed.error).map(({ field, message }) => ({
    field: field || where,
    message,
  }));
  throw new CountersignError("invalid_request", problemText(errors), { detail: { errors } });
}
