import type { CronTrigger } from "../../apps/registry.js";
import type { Core } from "../../core.js";
import { newUlid } from "../../protocol/identifiers.js";
import { takeIdempotencyKey } from "../../store/idempotency.js";
import { createCronEvent } from "../events/internal-events.js";
import { startRun } from "./start-run.js";

/** Starts the functions whose cron triggers are due, each tick once. */
export async function startCronRuns(core: Core, due: Array<CronTrigger & { at: number }>): Promise<void> {
  if (due.length === 0) return;
  await core.writer.write(async (write) => {
    for (const { fn, cron, at } of due) {
      const event = createCronEvent(cron, at);
      const runId = newUlid(write.now);
      if (await takeIdempotencyKey(write, ["cron", fn.id, cron, event.id], runId)) {
        await startRun(write, { fn, event, eventId: newUlid(write.now), runId });
      }
    }
  });
}
