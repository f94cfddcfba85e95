import type { Core } from "../core.js";
import { explainSize, MAX_STEPS, STATE_OVERFLOWED, STEPS_OVERFLOWED } from "../protocol/limits.js";
import type { Opcode } from "../protocol/opcodes.js";
import { saveSteps } from "../store/steps.js";
import type { Dispatch } from "./loop/in-flight.js";
import { Batch } from "./opcodes/batch.js";
import { stepFailed, stepRun } from "./opcodes/step-results.js";
import { failRunForGood } from "./runs/fail-or-retry.js";

/**
 * The result of a checkpoint. `stale`: the request that sent it must stop. `tooLarge`: the SDK then reports its steps
 * in its response instead.
 */
export type CheckpointResult = "saved" | "stale" | { tooLarge: string };

/** Memoizes the steps that a function has run while its request continues. */
export async function checkpointSteps(
  core: Core,
  dispatch: Dispatch,
  opcodes: Opcode[],
): Promise<CheckpointResult> {
  const { item } = dispatch;
  const tooLarge = opcodes.map(explainSize).find((problem) => problem !== undefined);
  if (tooLarge !== undefined) return { tooLarge };
  return core.writer.write(
    async (write) => {
      const state = await write.runOf(item.runId);
      const fn = state && core.registry.findFunction(state.run.functionId);
      if (state?.run.status !== "Running" || !fn) return "stale";
      const batch = new Batch(core, write, fn, state, item);
      for (const op of opcodes) {
        if (op.op === "StepRun" || op.op === "Step") stepRun(batch, op);
        else if (op.op === "StepFailed") stepFailed(batch, op);
        else batch.failure = `The local engine does not support the opcode "${op.op}" in a checkpoint`;
      }
      if (batch.stepCount > MAX_STEPS) batch.failure = STEPS_OVERFLOWED;
      if (batch.failure === STATE_OVERFLOWED) return { tooLarge: STATE_OVERFLOWED.message };
      if (batch.failure) {
        await failRunForGood(write, item.runId, batch.failure);
        return "stale";
      }
      saveSteps(write, state, batch.steps);
      return "saved";
    },
    [item.runId],
  );
}
