import * as z from "zod";
import { wellFormed } from "./unicode.js";

/** The fields of a reported error that Inngest's server reads. It drops all others, such as `code`. */
const serializedErrorSchema = z.object({
  name: z.string().catch("Error"),
  message: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
  stack: z.string().min(1).optional().catch(undefined),
  cause: z.unknown().optional(),
});

/** An error in the form in which steps and events contain it. */
export interface RunError {
  error?: string;
  name: string;
  message: string;
  stack?: string;
  cause?: unknown;
}

/** Parses any value that an app reported as an error. */
export function readError(body: unknown): RunError {
  const parsed = serializedErrorSchema.safeParse(wellFormed(body));
  if (!parsed.success) {
    const message = typeof body === "string" && body !== "" ? body.slice(0, 2_000) : "Unknown error";
    return { name: "Error", message };
  }
  const { error, message, name, stack, cause } = parsed.data;
  return {
    message: message ?? error ?? "Unknown error",
    name,
    ...(stack === undefined ? {} : { stack }),
    ...(cause === undefined || cause === null ? {} : { cause }),
  };
}

/** The error of a failed run, as `inngest/function.failed` and `step.invoke` report it. */
export function toRunFailure(error: RunError, noRetry: boolean): RunError {
  return { ...error, error: noRetry ? "NonRetriableError" : error.name };
}

/** The state of a step whose `step.invoke` timed out. */
export const INVOKE_TIMEOUT_STATE = JSON.stringify({
  error: {
    error: "InngestInvokeTimeoutError: Timed out waiting for invoked function to complete",
    message: "Timed out waiting for invoked function to complete",
    name: "InngestInvokeTimeoutError",
  },
});
