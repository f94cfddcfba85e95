import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import type { Logger } from "@countersign/policy/internal/shared/logger";
import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import * as z from "zod";
import type { Store } from "../store/store.js";
import { sendWakeUps } from "./wake.js";

const endedRun = z.object({ run_id: z.string().min(1), function_id: z.string().optional() });

/** Countersign's own functions that propose no call. If the database is down they fail, and so would this function. */
const proposeNothing = ["relay", "withdrawal", "canary", "deliver"];

/**
 * Ends the pending calls of a run that was cancelled or failed. Inngest lets an invoked function continue when its
 * parent is cancelled, so this also wakes the orchestrator, which then finds nothing open and returns.
 */
export function createWithdrawal(
  inngest: Inngest.Any,
  idPrefix: string,
  store: Store,
  logger: Logger,
): InngestFunction.Any {
  // The ids of this instance's functions, and the endings of those of other apps' instances with the default id.
  const own = proposeNothing.map((name) => `${inngest.id}-${idPrefix}-${name}`);
  const others = proposeNothing.map((name) => `-countersign-${name}`);
  const proposesNothing = (functionId: string) =>
    own.includes(functionId) || others.some((ending) => functionId.endsWith(ending));
  return inngest.createFunction(
    {
      id: `${idPrefix}-withdrawal`,
      retries: 20,
      triggers: [{ event: "inngest/function.cancelled" }, { event: "inngest/function.failed" }],
    },
    async ({ event, step }) => {
      const ended = endedRun.safeParse(event.data);
      if (!ended.success) throw new NonRetriableError("The event has no run_id");
      const { run_id: runId, function_id: functionId = "" } = ended.data;
      if (proposesNothing(functionId)) return { requests: 0 };
      const cause = event.name === "inngest/function.failed" ? "run_failed" : "run_cancelled";
      return step.run("withdraw", async () => {
        const wakeUps = await store.withdrawRun(runId, cause);
        if (wakeUps.length > 0) crashPoint("after-withdrawal");
        await sendWakeUps({ inngest, store }, wakeUps, logger);
        return { requests: wakeUps.length };
      });
    },
  );
}
