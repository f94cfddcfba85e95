import { parseDeadline } from "../../protocol/duration.js";
import { newUlid } from "../../protocol/identifiers.js";
import { invokeFunctionOptsSchema, type Opcode } from "../../protocol/opcodes.js";
import { createInvokeEvent } from "../events/internal-events.js";
import { startRun } from "../runs/start-run.js";
import type { Batch } from "./batch.js";

/** How long an invocation without a timeout waits. */
const DEFAULT_TIMEOUT = "365d";

/** `step.invoke`: starts another function and waits for its result. */
export function invokeFunction(batch: Batch, op: Opcode): void {
  if (!batch.isNew(op.id)) return;
  const opts = invokeFunctionOptsSchema.parse(op.opts ?? {});
  const { write, run, fn } = batch;
  const invoked = batch.core.registry.findFunction(opts.function_id);
  if (!invoked) {
    const message = `Could not find the function "${opts.function_id}" to invoke; check that its app is registered`;
    batch.addDone(op, { error: { error: "FunctionNotFoundError", message, name: "FunctionNotFoundError" } });
    return;
  }
  const expiresAt = parseDeadline(opts.timeout ?? DEFAULT_TIMEOUT, write.now);
  const correlationId = `${run.id}.${op.id}`;
  const event = createInvokeEvent({
    from: fn,
    correlationId,
    functionId: invoked.id,
    name: op.displayName ?? op.id,
    payload: { data: opts.payload?.data ?? {}, user: opts.payload?.user ?? undefined },
    expiresAt,
    now: write.now,
  });
  batch.addPending(op);
  batch.waits.push({
    id: newUlid(write.now),
    kind: "invoke",
    runId: run.id,
    stepId: op.id,
    expiresAt,
  });
  batch.invokes.push(() => startRun(write, { fn: invoked, event, eventId: event.id, correlationId }));
}
