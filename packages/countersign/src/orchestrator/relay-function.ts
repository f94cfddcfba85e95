import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import type { Inngest, InngestFunction } from "inngest";
import type { Store } from "../store/store.js";
import type { EngineSteps } from "./engine-steps.js";
import { findLostRuns } from "./lost-runs.js";
import { wakeUp } from "./wake.js";

const batch = 200;

interface Relayed {
  store: Store;
  logger: Logger;
  /** Sends the events of deliveries that are overdue. */
  resendDeliveries(): Promise<number>;
  /** Sends public events, and those that start undos, that were not sent after their commits. */
  publishEvents(): Promise<number>;
}

/**
 * Runs every minute: resends unanswered wake-ups, overdue messages and public events, expires overdue calls, and finds
 * runs that the engine has lost. Each is idempotent: a wake-up only makes a run read the database.
 */
export function createRelay(
  inngest: Inngest.Any,
  idPrefix: string,
  { store, logger, resendDeliveries, publishEvents }: Relayed,
): InngestFunction.Any {
  return inngest.createFunction(
    { id: `${idPrefix}-relay`, retries: 2, triggers: [{ cron: "* * * * *" }] },
    async ({ step, runId }) => {
      const swept = await step.run("sweep", () => store.sweep());
      const sent = await step.run("send-wake-ups", async () => {
        const due = await store.takeDueWakeUps(batch);
        if (due.length === 0) return 0;
        crashPoint("before-relayed-wake-up");
        await wakeUp({ inngest, store }, due);
        crashPoint("after-relayed-wake-up");
        return due.length;
      });
      await step.run("send-deliveries", resendDeliveries);
      await step.run("publish-events", publishEvents);
      const lost = await findLostRuns({ inngest, store, logger }, step as EngineSteps, runId);
      return { ...swept, sent, lost };
    },
  );
}
