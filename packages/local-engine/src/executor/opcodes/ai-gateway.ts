import { aiGatewayOptsSchema, type Opcode } from "../../protocol/opcodes.js";
import type { Batch } from "./batch.js";

/**
 * `step.ai.infer`: the engine makes the model call. The call's key is in the opcode, so the call is not stored: when
 * the process ends before it has answered, the function is asked again and says it again.
 */
export function aiGateway(batch: Batch, op: Opcode): void {
  if (batch.isDone(op.id) || (!batch.isNew(op.id) && batch.isOwnedByAnother(op.id))) return;
  const opts = aiGatewayOptsSchema.parse(op.opts ?? {});
  if (batch.isNew(op.id)) batch.addPending(op, batch.item.id);
  batch.modelCalls.push({ stepId: op.id, opts });
}
