import { z } from "zod";
import { wellFormed } from "./unicode.js";

/** An error as the SDK serialises it: `name`, `message`, `stack`, and, if present, `code` and `cause`. */
const serializedErrorSchema = z.looseObject({
  name: z.string().catch("Error"),
  message: z.string().optional().catch(undefined),
  error: z.string().optional().catch(undefined),
});

/** An error in the form in which steps and events contain it. */
export interface RunError {
  error?: string;
  name: string;
  message: string;
  stack?: string;
  [key: string]: unknown;
}

/** Parses any value that an app reported as an error. */
export function readError(body: unknown): RunError {
  const parsed = serializedErrorSchema.safeParse(wellFormed(body));
  if (!parsed.success) {
    const message = typeof body === "string" && body !== "" ? body.slice(0, 2_000) : "Unknown error";
    return { name: "Error", message };
  }
  const { __serialized, error, message, name, ...rest } = parsed.data;
  return { ...rest, message: message ?? error ?? "Unknown error", name };
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
