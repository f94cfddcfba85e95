import type { Opcode } from "../../protocol/opcodes.js";
import type { Batch } from "./batch.js";

/** A step to run in a separate request. */
export function stepPlanned(batch: Batch, op: Opcode): void {
  if (!batch.isNew(op.id)) return;
  batch.addPending(op);
  batch.plannedSteps.push(op.id);
}
