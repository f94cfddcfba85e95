import { storedDemand } from "../../events/demands.js";
import { parseDeadline } from "../../protocol/duration.js";
import { newUlid } from "../../protocol/identifiers.js";
import { type Opcode, waitForEventOptsSchema } from "../../protocol/opcodes.js";
import type { Batch } from "./batch.js";

/** `step.waitForEvent`: only events that arrive after this may end the wait. */
export function waitForEvent(batch: Batch, op: Opcode): void {
  if (!batch.isNew(op.id)) return;
  const opts = waitForEventOptsSchema.parse(op.opts ?? {});
  if (!op.name) throw new Error("an event name is missing");
  batch.addPending(op);
  batch.waits.push({
    id: newUlid(batch.write.now),
    kind: "event",
    runId: batch.run.id,
    stepId: op.id,
    eventName: op.name,
    expression: opts.if ?? null,
    demands: storedDemand(opts.if),
    expiresAt: parseDeadline(opts.timeout, batch.write.now),
  });
}
