import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import { z } from "zod";
import type { Approval } from "../approval/approval.js";
import { refusalFor, refusalSchema } from "../approval/refusal.js";
import { isOpen } from "../approval/status.js";
import { crashPoint } from "../crash-point.js";
import type { RequestProgress, Store } from "../store/store.js";
import { events, requestOpenedData, wakeUpCondition } from "./events.js";

/** What the run that waits gets back: no arguments, they stay in the database. */
export const orchestratorResult = z.object({
  decisions: z.array(
    z.object({
      approvalId: z.string(),
      open: z.boolean(),
      responded: z.boolean(),
      edited: z.boolean(),
      refusal: refusalSchema.nullable(),
    }),
  ),
});

export type OrchestratorResult = z.infer<typeof orchestratorResult>;

/** Past the last moment to decide, so that a wait which times out finds the expiry in the database. */
const graceMs = 1000;
const shortestWaitMs = 1000;
const longestWaitMs = 366 * 86_400_000 - 86_400_000;

/**
 * Waits until nothing of a request is open. Each round registers one wait, in the same batch as the step that
 * looks at the database: Inngest registers the waits of a batch first, so whatever is decided after that look
 * resumes the run, and whatever was decided before it is seen by the look. The event that wakes it proves nothing.
 */
export function createOrchestrator(inngest: Inngest.Any, store: Store): InngestFunction.Any {
  return inngest.createFunction(
    { id: "countersign-orchestrator", retries: 20, triggers: [{ event: events.requestOpened }] },
    async ({ event, step }): Promise<OrchestratorResult> => {
      const opened = requestOpenedData.safeParse(event.data);
      if (!opened.success) throw new NonRetriableError("The event names no request");
      const { requestId } = opened.data;
      const request = await step.run("read-request", async () => {
        const found = await store.readRequest(requestId);
        return found && { token: found.wakeUpToken, timeoutMs: found.timeoutMs };
      });
      if (!request) return { decisions: [] };
      let waitMs = request.timeoutMs;
      for (let round = 0; ; round++) {
        await Promise.all([
          step.waitForEvent(`wait-${round}`, {
            event: events.wakeUp,
            timeout: waitFor(waitMs),
            if: wakeUpCondition(requestId, request.token),
          }),
          round === 0
            ? step.run("announce", () => announce(inngest, store, requestId, request.token))
            : step.run(`look-again-${round}`, () =>
                lookAgain(inngest, store, { requestId, token: request.token, round }),
              ),
        ]);
        // Not a step: what it reports as settled stays so. A replay may find more decided than was when it first came here.
        crashPoint("before-settle");
        const progress = await store.settle(requestId, round);
        crashPoint("after-settle");
        if (progress.settled) return resultOf(progress);
        waitMs = progress.nextDeadlineMs;
      }
    },
  );
}

/** Opens the request for decisions and tells the world; run again after a crash, it repeats neither. */
async function announce(
  inngest: Inngest.Any,
  store: Store,
  requestId: string,
  token: string,
): Promise<{ announced: number }> {
  crashPoint("before-announce");
  const approvals = await store.announce(requestId);
  crashPoint("before-pending-event");
  const waiting = approvals.filter((approval) => approval.status === "pending");
  if (waiting.length > 0) {
    await inngest.send(
      waiting.map((approval) => ({
        id: `${approval.id}:pending`,
        name: events.approvalPending,
        data: {
          approvalId: approval.id,
          requestId,
          toolName: approval.toolName,
          threadId: approval.threadId,
        },
      })),
    );
  }
  // Withdrawn before anybody could be told, perhaps before anybody waited who could be woken.
  if (!approvals.some(({ status }) => isOpen(status))) {
    await inngest.send({ name: events.wakeUp, data: { requestId, token } });
  }
  crashPoint("after-announce");
  return { announced: waiting.length };
}

/** Closes the gap between two rounds: what was decided there had no wait to wake, so this step wakes its own. */
async function lookAgain(
  inngest: Inngest.Any,
  store: Store,
  { requestId, token, round }: { requestId: string; token: string; round: number },
): Promise<{ open: number }> {
  crashPoint("before-look");
  const { open, approvals } = await store.peek(requestId, round);
  crashPoint("after-look");
  await remind(inngest, approvals);
  if (open === 0) await inngest.send({ name: events.wakeUp, data: { requestId, token } });
  return { open };
}

/** Tells of the last rung of each call's ladder; told again by a later look, it is still the same event. */
async function remind(inngest: Inngest.Any, approvals: readonly Approval[]): Promise<void> {
  const climbing = approvals.filter(({ status, rungsDone }) => status === "pending" && rungsDone > 0);
  if (climbing.length === 0) return;
  await inngest.send(
    climbing.map((approval) => ({
      id: `${approval.id}:rung:${approval.rungsDone}`,
      name: events.approvalReminder,
      data: {
        approvalId: approval.id,
        requestId: approval.requestId,
        toolName: approval.toolName,
        threadId: approval.threadId,
        rung: approval.rungsDone,
        roles: approval.approvers.roles,
      },
    })),
  );
}

function waitFor(ms: number): string {
  const bounded = Math.min(Math.max(ms + graceMs, shortestWaitMs), longestWaitMs);
  return `${Math.ceil(bounded / 1000)}s`;
}

function resultOf(progress: RequestProgress): OrchestratorResult {
  return {
    decisions: progress.approvals.map((approval) => ({
      approvalId: approval.id,
      open: isOpen(approval.status),
      responded: approval.status === "responded",
      edited: approval.edited !== null,
      refusal: refusalFor(approval) ?? null,
    })),
  };
}
