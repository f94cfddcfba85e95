import { aiGatewayOptsSchema, type Opcode } from "../../protocol/opcodes.js";
import type { Batch } from "./batch.js";

/**
 * `step.ai.infer`: the engine makes the model call. The opcode contains the provider's key, so the call is not stored.
 * If the process ends before the model has answered, the engine asks the function again, which reports the call again.
 */
export function aiGateway(batch: Batch, op: Opcode): void {
  if (batch.isDone(op.id) || (!batch.isNew(op.id) && batch.isOwnedByAnother(op.id))) return;
  const opts = aiGatewayOptsSchema.parse(op.opts ?? {});
  if (batch.isNew(op.id)) batch.addPending(op, batch.item.id);
  batch.modelCalls.push({ stepId: op.id, opts });
}
