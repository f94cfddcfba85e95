import type * as z from "zod";

/** One wrong field, and what would be right. */
export interface FieldProblem {
  /** Dotted path. */
  field: string;
  message: string;
}

/**
 * The wrong fields of a value that a schema refused. Each unknown key counts as a separate field.
 *
 * @param within Path of the value itself.
 */
export function fieldProblems({ issues }: z.ZodError, ...within: string[]): FieldProblem[] {
  return issues.flatMap((issue) => {
    const path = [...within, ...issue.path.map(String)];
    const fields = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...path, key]) : [path];
    return fields.map((field) => ({ field: field.join("."), message: issue.message }));
  });
}

/** The same as texts: `limits.steps: must be a number`. */
export function zodProblems(error: z.ZodError, ...within: string[]): string[] {
  return error.issues.map(({ path, message }) => `${[...within, ...path.map(String)].join(".")}: ${message}`);
}

/** Fields and messages in one line. */
export function problemText(problems: readonly FieldProblem[]): string {
  return problems.map(({ field, message }) => `${field}: ${message}`).join("; ");
}
