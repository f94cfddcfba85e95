import { type ApprovalStatus, isOver } from "@countersign/policy/internal/shared/approval-status";
import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import type { Approval } from "../approval/approval.js";
import { firstDeadlineMs } from "../approval/first-deadline.js";
import { leaveToOthers, outcomeInStep } from "../call/execute/execute.js";
import { watchSteps } from "../call/run/inngest-run.js";
import type { Runtime } from "../call/run/runtime.js";
import { withoutNetwork } from "../call/tool.js";
import { awaitDecisions } from "../gate/await-decisions.js";
import {
  events,
  requestOpenedData,
  undoOverCondition,
  undoRequestedCondition,
} from "../orchestrator/events.js";
import { runnableUndo } from "./undo-call.js";

/** How often a step of an undo is repeated after a failure. */
const retries = 20;

/** Waits for the decision about an undo and for its turn, and runs it if it is approved. */
export function createUndoFunction(inngest: Inngest.Any, runtime: Runtime): InngestFunction.Any {
  const triggers = [{ event: events.undoRequested, if: undoRequestedCondition(runtime) }];
  return inngest.createFunction(
    { id: `${runtime.instanceId}-undo`, retries, triggers },
    async ({ event, step, runId, attempt }) => {
      watchSteps(step);
      const requested = requestOpenedData.safeParse(event.data);
      if (!requested.success) throw new NonRetriableError("The event has no requestId");
      const { requestId } = requested.data;
      const found = await step.run("countersign:undo:find", async () => {
        const undo = await ownUndo(runtime, requestId);
        return undo ? { deadlineMs: firstDeadlineMs(undo) } : null;
      });
      if (!found) return missing;
      await awaitDecisions(runtime, step, "undo", requestId, [found]);
      for (let look = 0; ; look += 1) {
        const before = await step.run(`countersign:undo:turn:${look}`, () => undoBefore(runtime, requestId));
        if (before === null) break;
        await step.waitForEvent(`countersign:undo:wait:${look}`, {
          event: events.undoOver,
          if: undoOverCondition(before),
          timeout: pauseBefore(look),
        });
      }
      const ended = await step.run("countersign:undo", () =>
        runUndo(runtime, requestId, { runId, isLastAttempt: attempt >= retries }),
      );
      await step.sendEvent("countersign:undo:over", {
        name: events.undoOver,
        data: { approvalId: ended.approvalId },
      });
      return ended;
    },
  );
}

/** The undo of a request, if this instance has proposed it: whoever sends its event may name any request. */
async function ownUndo(
  { store, appId, instanceId }: Runtime,
  requestId: string,
): Promise<Approval | undefined> {
  const request = await store.readRequest(requestId);
  if (request?.appId !== appId || request.instanceId !== instanceId) return undefined;
  const [undo] = await store.approvalsOf(requestId);
  return undo?.terms.undoes && undo.runId === null ? undo : undefined;
}

/** Seconds until an undo looks itself whether the one before it is over. Usually an event tells it. */
const pauses = { first: 2, most: 21_600 };

function pauseBefore(look: number): string {
  return `${Math.min(pauses.first * 2 ** look, pauses.most)}s`;
}

/** The undo that must be over before the one of a request runs, if it is not. */
async function undoBefore(runtime: Runtime, requestId: string): Promise<string | null> {
  const undo = await ownUndo(runtime, requestId);
  const after = undo?.status === "approved" ? (undo.terms.undoes?.after ?? null) : null;
  if (!undo || after === null) return null;
  const before = await runtime.store.getApproval(undo.tenantId, after);
  return !before || isOver(before.status) ? null : after;
}

/** How an undo ended. */
interface UndoEnd {
  status: ApprovalStatus | "refused" | "missing";
  approvalId: string | null;
}

/** The run of an undo. */
interface UndoRun {
  runId: string;
  isLastAttempt: boolean;
}

const missing: UndoEnd = { status: "missing", approvalId: null };

/** Runs an undo if it is approved, and says what has become of it. A step that is repeated finds its own end. */
async function runUndo(runtime: Runtime, requestId: string, run: UndoRun): Promise<UndoEnd> {
  const undo = await ownUndo(runtime, requestId);
  return undo ? { status: await statusAfter(runtime, undo, run), approvalId: undo.id } : missing;
}

async function statusAfter(
  runtime: Runtime,
  undo: Approval,
  { runId, isLastAttempt }: UndoRun,
): Promise<ApprovalStatus | "refused"> {
  if (undo.status !== "approved" && undo.status !== "executing") return undo.status;
  const runnable = await runnableUndo(runtime, undo);
  if (runnable.ok) {
    const { call } = runnable;
    leaveToOthers(runtime, isLastAttempt, call);
    return (await outcomeInStep(runtime, call, call.kind, withoutNetwork(runtime), runId)).status;
  }
  runtime.logger.error(runnable.problem, { approvalId: undo.id, toolName: undo.toolName });
  // An earlier attempt of this step started it, and its process has died.
  if (undo.status === "executing")
    await runtime.store.finish(undo.id, { status: "interrupted", startedBy: runId });
  else await runtime.store.withdrawRequest(undo.requestId, runnable.cause);
  return "refused";
}
