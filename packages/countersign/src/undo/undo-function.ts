import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import { outcomeInStep, withoutNetwork } from "../agent-hook/execution/execute.js";
import type { Runtime } from "../agent-hook/run/runtime.js";
import type { ApprovalStatus } from "../approval/status.js";
import { awaitDecisions } from "../gate/await-decisions.js";
import { events, undoRequestedData } from "../orchestrator/events.js";
import { runnableUndo } from "./undo-call.js";

/** Waits for the decisions about undos, and runs those that are approved, one after the other. */
export function createUndoFunction(
  inngest: Inngest.Any,
  idPrefix: string,
  runtime: Runtime,
): InngestFunction.Any {
  return inngest.createFunction(
    { id: `${idPrefix}-undo`, retries: 20, triggers: [{ event: events.undoRequested }] },
    async ({ event, step, group }) => {
      const requested = undoRequestedData.safeParse(event.data);
      if (!requested.success) throw new NonRetriableError("The event has no requestIds");
      const { requestIds } = requested.data;
      // A race goes on after each step. Otherwise an undo would wait for the decisions about those behind it.
      return group.parallel({ mode: "race" }, async () => {
        // All of them from now on: each has its own deadline and reminders.
        const waits = requestIds.map((id, index) => awaitDecisions(runtime, step, `undo-${index}`, id));
        // One that fails while an earlier one waits is thrown in its turn.
        void Promise.allSettled(waits);
        const ended: unknown[] = [];
        for (const [index, requestId] of requestIds.entries()) {
          await waits[index];
          ended.push(await step.run(`countersign:undo-${index}`, () => runUndo(runtime, requestId)));
        }
        return { ended };
      });
    },
  );
}

/** Runs an undo if it is approved, and says what has become of it. A step that is repeated finds its own end. */
async function runUndo(runtime: Runtime, requestId: string): Promise<ApprovalStatus | "refused" | "missing"> {
  const [undo] = await runtime.store.approvalsOf(requestId);
  if (!undo) return "missing";
  if (undo.status !== "approved" && undo.status !== "executing") return undo.status;
  const call = await runnableUndo(runtime, undo);
  if (call) return (await outcomeInStep(runtime, call, call.kind, withoutNetwork())).status;
  runtime.logger.error(
    `The call of "${undo.toolName}" is no longer the one that was approved, or its tool is not in undoable of createCountersign where countersign.functions are served. It does not run.`,
    { approvalId: undo.id, toolName: undo.toolName },
  );
  // An earlier process started it, and has died.
  if (undo.status === "executing") await runtime.store.finish(undo.id, { status: "interrupted" });
  else await runtime.store.withdrawRequest(requestId, "digest_changed");
  return "refused";
}
