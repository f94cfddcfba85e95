import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import { outcomeInStep, withoutNetwork } from "../agent-hook/execution/execute.js";
import type { Runtime } from "../agent-hook/run/runtime.js";
import type { Approval } from "../approval/approval.js";
import { type ApprovalStatus, isOver } from "../approval/status.js";
import { awaitDecisions } from "../gate/await-decisions.js";
import { events, requestOpenedData, undoOverCondition } from "../orchestrator/events.js";
import { runnableUndo } from "./undo-call.js";

/** Waits for the decision about an undo and for its turn, and runs it if it is approved. */
export function createUndoFunction(
  inngest: Inngest.Any,
  idPrefix: string,
  runtime: Runtime,
): InngestFunction.Any {
  return inngest.createFunction(
    { id: `${idPrefix}-undo`, retries: 20, triggers: [{ event: events.undoRequested }] },
    async ({ event, step }) => {
      const requested = requestOpenedData.safeParse(event.data);
      if (!requested.success) throw new NonRetriableError("The event has no requestId");
      const { requestId } = requested.data;
      await awaitDecisions(runtime, step, "undo", requestId);
      for (let look = 0; ; look += 1) {
        const before = await step.run(`countersign:undo:turn:${look}`, () => undoBefore(runtime, requestId));
        if (before === null) break;
        await step.waitForEvent(`countersign:undo:wait:${look}`, {
          ...{ event: events.undoOver, if: undoOverCondition(before), timeout: pauseBefore(look) },
        });
      }
      const ended = await step.run("countersign:undo", () => runUndo(runtime, requestId));
      await step.sendEvent("countersign:undo:over", {
        ...{ name: events.undoOver, data: { approvalId: ended.approvalId } },
      });
      return ended;
    },
  );
}

/** Seconds until an undo looks itself whether the one before it is over. Usually an event tells it. */
const pauses = { first: 2, most: 21_600 };

function pauseBefore(look: number): string {
  return `${Math.min(pauses.first * 2 ** look, pauses.most)}s`;
}

/** The undo that must be over before the one of a request runs, if it is not. */
async function undoBefore({ store }: Runtime, requestId: string): Promise<string | null> {
  const [undo] = await store.approvalsOf(requestId);
  const after = undo?.status === "approved" ? (undo.terms.undoes?.after ?? null) : null;
  if (!undo || after === null) return null;
  const before = await store.getApproval(undo.tenantId, after);
  return !before || isOver(before.status) ? null : after;
}

/** What has become of an undo. */
interface UndoEnd {
  status: ApprovalStatus | "refused" | "missing";
  approvalId: string | null;
}

/** Runs an undo if it is approved, and says what has become of it. A step that is repeated finds its own end. */
async function runUndo(runtime: Runtime, requestId: string): Promise<UndoEnd> {
  const [undo] = await runtime.store.approvalsOf(requestId);
  if (!undo) return { status: "missing", approvalId: null };
  return { status: await statusAfter(runtime, undo), approvalId: undo.id };
}

async function statusAfter(runtime: Runtime, undo: Approval): Promise<ApprovalStatus | "refused"> {
  if (undo.status !== "approved" && undo.status !== "executing") return undo.status;
  const call = await runnableUndo(runtime, undo);
  if (call) return (await outcomeInStep(runtime, call, call.kind, withoutNetwork())).status;
  runtime.logger.error(
    `The call of "${undo.toolName}" is no longer the one that was approved, or its tool is not in undoable of createCountersign where countersign.functions are served. It does not run.`,
    { approvalId: undo.id, toolName: undo.toolName },
  );
  // An earlier process started it, and has died.
  if (undo.status === "executing") await runtime.store.finish(undo.id, { status: "interrupted" });
  else await runtime.store.withdrawRequest(undo.requestId, "digest_changed");
  return "refused";
}
