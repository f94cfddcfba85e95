import { readError } from "../../protocol/errors.js";
import { MAX_STATE_BYTES, outputBytes, STATE_OVERFLOWED } from "../../protocol/limits.js";
import type { Opcode } from "../../protocol/opcodes.js";
import { hasAttemptLeft } from "../runs/fail-or-retry.js";
import type { Batch } from "./batch.js";

/** A step has run. */
export function stepRun(batch: Batch, op: Opcode): void {
  if (batch.isDone(op.id)) return;
  if (batch.stateBytes + outputBytes(op) > MAX_STATE_BYTES) batch.failure = STATE_OVERFLOWED;
  else batch.addDone(op, { data: op.data ?? null });
}

/** A step failed and is not retried. Its function can catch the error. */
export function stepFailed(batch: Batch, op: Opcode): void {
  if (!batch.isDone(op.id)) batch.addDone(op, { error: readError(op.error) });
}

/** A step failed and may be retried. */
export function stepError(batch: Batch, op: Opcode): void {
  if (batch.isDone(op.id)) return;
  if (hasAttemptLeft(batch.fn, batch.item)) batch.retry = true;
  else stepFailed(batch, op);
}
