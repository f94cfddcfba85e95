import type { RunError } from "./errors.js";
import type { Opcode } from "./opcodes.js";

const MiB = 1024 * 1024;

/** Inngest's limits, from the constants of its server, and the errors that its server reports. */
const MAX_STEP_BYTES = 4 * MiB;
export const MAX_RESPONSE_BYTES = 2 * MAX_STEP_BYTES;
export const MAX_STATE_BYTES = 32 * MiB;
export const MAX_STEPS = 1_000;
/** A request with more than this leaves out the results of steps, and the SDK asks the API for them. */
export const MAX_REQUEST_BYTES = 4 * MiB - 1024;

/** A response larger than Inngest's limit. The request counts as failed and may be retried. */
export const RESPONSE_TOO_LARGE: RunError = {
  error: "output_too_large: Your function's response body exceeds the maximum size limit",
  name: "output_too_large",
  message: "Your function's response body exceeds the maximum size limit",
};

/** Ends a run whose state is too large. */
export const STATE_OVERFLOWED = systemError(
  "InngestErrStateOverflowed",
  `The function run exceeded the state size limit of ${MAX_STATE_BYTES} bytes.`,
);

/** Ends a run that has too many steps. */
export const STEPS_OVERFLOWED = systemError(
  "InngestErrFunctionOverflowed",
  `The function run exceeded the step limit of ${MAX_STEPS} steps.`,
);

function systemError(name: string, message: string): RunError {
  return { error: `${name}: ${message}`, name, message };
}

export const byteLength = (text: string): number => Buffer.byteLength(text);

/** Inngest's error for an opcode whose step input or output is too large; `undefined` if it fits. */
export function explainSize(op: Opcode): string | undefined {
  const limit =
    inputBytes(op) > MAX_STEP_BYTES ? "input" : outputBytes(op) > MAX_STEP_BYTES ? "output" : undefined;
  return limit && `error validating generator opcode ${op.id}: step ${limit} size is greater than the limit`;
}

function inputBytes({ op, opts }: Opcode): number {
  if (op === "StepRun" || op === "Step") return jsonBytes(opts?.input);
  return op === "AIGateway" ? jsonBytes(opts?.body) : 0;
}

/** The bytes of a step's result as Inngest stores it. */
export function outputBytes({ op, data, error }: Opcode): number {
  if (op === "StepError" || op === "StepFailed") return jsonBytes({ error });
  return op === "StepRun" ? jsonBytes({ data: data ?? null }) : jsonBytes(data);
}

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : byteLength(JSON.stringify(value));
}
