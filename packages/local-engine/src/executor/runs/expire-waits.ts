import type { Core } from "../../core.js";
import { INVOKE_TIMEOUT_STATE } from "../../protocol/errors.js";
import { deleteWaits, listExpiredWaits } from "../../store/waits.js";
import { resumeStep } from "./resume-step.js";

/** Maximum number of waits that one write ends. */
const BATCH_SIZE = 100;

/** Ends expired waits. Sleeps and waits for events return `null`; invokes fail. */
export async function expireWaits(core: Core): Promise<void> {
  for (let more = true; more; ) {
    more = await core.writer.write(async (write) => {
      const expired = await listExpiredWaits(write.db, write.now, BATCH_SIZE);
      await write.load(expired.map(({ runId }) => runId));
      for (const wait of expired) {
        if (wait.kind === "cancel" || !wait.stepId) continue;
        const state = wait.kind === "invoke" ? INVOKE_TIMEOUT_STATE : "null";
        await resumeStep(write, wait.runId, wait.stepId, state);
      }
      deleteWaits(
        write,
        expired.map(({ id }) => id),
      );
      return expired.length === BATCH_SIZE;
    });
  }
}
