import * as z from "zod";
import { MAX_STEPS, STEPS_OVERFLOWED } from "../../protocol/limits.js";
import type { Opcode } from "../../protocol/opcodes.js";
import { aiGateway } from "./ai-gateway.js";
import type { Batch } from "./batch.js";
import { invokeFunction } from "./invoke-function.js";
import { sleep } from "./sleep.js";
import { stepPlanned } from "./step-planned.js";
import { stepError, stepFailed, stepRun } from "./step-results.js";
import { waitForEvent } from "./wait-for-event.js";

const HANDLERS = new Map<string, (batch: Batch, op: Opcode) => void>([
  ["WaitForEvent", waitForEvent],
  ["Sleep", sleep],
  ["InvokeFunction", invokeFunction],
  ["StepPlanned", stepPlanned],
  ["StepRun", stepRun],
  ["Step", stepRun],
  ["StepError", stepError],
  ["StepFailed", stepFailed],
  ["AIGateway", aiGateway],
  [
    "RunComplete",
    (batch, op) => {
      batch.completion = { data: op.data ?? null };
    },
  ],
]);

/**
 * Reads the opcodes of a response into the batch. An opcode that cannot be processed fails the run with an error that
 * names it; none is ignored.
 */
export function readBatch(batch: Batch, opcodes: Opcode[]): void {
  for (const op of opcodes) {
    const handle = HANDLERS.get(op.op);
    if (!handle) {
      batch.failure = `The local engine does not support the opcode "${op.op}"${describe(op)}`;
      return;
    }
    try {
      handle(batch, op);
    } catch (error) {
      batch.failure = `Cannot process the opcode "${op.op}"${describe(op)}: ${explain(error)}`;
      return;
    }
  }
  if (batch.stepCount > MAX_STEPS) batch.failure = STEPS_OVERFLOWED;
}

function describe(op: Opcode): string {
  const name = op.displayName ?? op.name;
  return name ? ` of step "${name}"` : "";
}

function explain(error: unknown): string {
  if (error instanceof z.ZodError) {
    return error.issues.map(({ path, message }) => `${path.join(".") || "opts"}: ${message}`).join("; ");
  }
  return error instanceof Error ? error.message : String(error);
}
