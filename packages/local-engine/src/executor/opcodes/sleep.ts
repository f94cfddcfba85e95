import { parseDeadline } from "../../protocol/duration.js";
import { newUlid } from "../../protocol/identifiers.js";
import type { Opcode } from "../../protocol/opcodes.js";
import type { Batch } from "./batch.js";

/** `step.sleep` and `step.sleepUntil`; the opcode's name is the duration or the date. */
export function sleep(batch: Batch, op: Opcode): void {
  if (!batch.isNew(op.id)) return;
  batch.addPending(op);
  batch.waits.push({
    id: newUlid(batch.write.now),
    kind: "sleep",
    runId: batch.run.id,
    stepId: op.id,
    expiresAt: parseDeadline(op.name ?? "", batch.write.now),
  });
}
