import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import { z } from "zod";
import { crashPoint } from "../crash-point.js";
import type { Store } from "../store/store.js";
import { sendWakeUps } from "./wake.js";

const endedRun = z.object({ run_id: z.string().min(1) });

/**
 * Ends what is pending of a run that was cancelled or failed. Inngest lets an invoked function go on when its
 * parent is cancelled, so this also wakes the orchestrator, which then finds nothing open and returns.
 */
export function createWithdrawal(inngest: Inngest.Any, store: Store): InngestFunction.Any {
  return inngest.createFunction(
    {
      id: "countersign-withdrawal",
      retries: 20,
      triggers: [{ event: "inngest/function.cancelled" }, { event: "inngest/function.failed" }],
    },
    async ({ event, step }) => {
      const ended = endedRun.safeParse(event.data);
      if (!ended.success) throw new NonRetriableError("The event names no run");
      const runId = ended.data.run_id;
      const cause = event.name === "inngest/function.failed" ? "run_failed" : "run_cancelled";
      return step.run("withdraw", async () => {
        const wakeUps = await store.withdrawRun(runId, cause);
        if (wakeUps.length > 0) crashPoint("after-withdrawal");
        await sendWakeUps(inngest, wakeUps);
        return { requests: wakeUps.length };
      });
    },
  );
}
