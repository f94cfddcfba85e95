import type { Inngest, InngestFunction } from "inngest";
import { crashPoint } from "../crash-point.js";
import type { Store } from "../store/store.js";
import { wakeUpEvent } from "./wake.js";

const batch = 200;

/**
 * Every minute: sends the wake-ups again whose runs have not taken note, and ends what nobody takes care of.
 * What it does it may do twice; a wake-up only says "look".
 */
export function createRelay(inngest: Inngest.Any, store: Store): InngestFunction.Any {
  return inngest.createFunction(
    { id: "countersign-relay", retries: 2, triggers: [{ cron: "* * * * *" }] },
    async ({ step }) => {
      const swept = await step.run("sweep", () => store.sweep());
      const sent = await step.run("send-wake-ups", async () => {
        const due = await store.takeDueWakeUps(batch);
        if (due.length === 0) return 0;
        crashPoint("before-relayed-wake-up");
        await inngest.send(due.map(wakeUpEvent));
        crashPoint("after-relayed-wake-up");
        return due.length;
      });
      return { ...swept, sent };
    },
  );
}
