import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { maxTimeoutMs } from "@countersign/policy/internal/shared/duration";
import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import * as z from "zod";
import type { Approval } from "../approval/approval.js";
import type { EvidenceReader } from "../evidence/evidence-signer.js";
import type { Store } from "../store/store.js";
import { decidedOf, decidedSchema } from "./decided.js";
import { events, requestOpenedData, waitData } from "./events.js";
import { approvalEvents, callData } from "./public-events.js";
import { sendAtDatabaseTime } from "./send-at.js";
import { wakeUp } from "./wake.js";
import { wakeUpCondition } from "./wake-up-condition.js";
import { wakeUpToken } from "./wake-up-token.js";

/** The result for the waiting run. */
export const orchestratorResult = z.object({ decisions: z.array(decidedSchema) });

export type OrchestratorResult = z.infer<typeof orchestratorResult>;

/** Milliseconds beyond the deadline, so that a wait that times out finds the expiry in the database. */
const graceMs = 1000;
const minWaitMs = 1000;

/**
 * Waits until no call of a request is open. Each round registers one wait, in the same batch as the step that reads the
 * database. Inngest registers the waits of a batch first, so a decision after that read resumes the run, and the read
 * sees any decision before it. The wake-up event proves nothing.
 */
export function createOrchestrator(
  inngest: Inngest.Any,
  idPrefix: string,
  store: Store,
  reader: EvidenceReader | undefined,
  onSettled: (requestId: string) => void,
): InngestFunction.Any {
  return inngest.createFunction(
    { id: `${idPrefix}-orchestrator`, retries: 20, triggers: [{ event: events.requestOpened }] },
    async ({ event, step }): Promise<OrchestratorResult> => {
      const data = event.name === events.requestOpened ? requestOpenedData : waitData;
      const opened = data.safeParse(event.data);
      if (!opened.success) throw new NonRetriableError("The event does not say what to wait for");
      const { requestId } = opened.data;
      // Anybody who may send events can name any request. Those for which a function waits are invoked by it.
      const deadlineMs =
        "deadlineMs" in opened.data
          ? opened.data.deadlineMs
          : await step.run("read-request", () => unawaitedDeadlineMs(store, requestId));
      if (deadlineMs === null) return { decisions: [] };
      const condition = wakeUpCondition(requestId, await wakeUpToken(store, requestId));
      let waitMs = deadlineMs;
      for (let round = 0; ; round++) {
        await Promise.all([
          step.waitForEvent(`wait-${round}`, {
            event: events.wakeUp,
            timeout: waitFor(waitMs),
            if: condition,
          }),
          round === 0
            ? step.run("announce", () => announce(inngest, store, requestId))
            : step.run(`look-again-${round}`, () => checkAgain(inngest, store, { requestId, round })),
        ]);
        // This is not a step, because settled calls stay settled. A replay may find more decisions than the first pass
        // did.
        crashPoint("before-settle");
        const progress = await store.settle(requestId, round);
        crashPoint("after-settle");
        if (progress.settled) {
          onSettled(requestId);
          return { decisions: await decidedOf(store, reader, progress.approvals) };
        }
        waitMs = progress.nextDeadlineMs;
      }
    },
  );
}

/** Milliseconds until the first deadline of a request for which no function waits; `null` for any other. */
async function unawaitedDeadlineMs(store: Store, requestId: string): Promise<number | null> {
  const request = await store.readRequest(requestId);
  return request?.appId === null ? request.deadlineMs : null;
}

/** Opens the request for decisions and sends the public events. Idempotent after a crash. */
async function announce(
  inngest: Inngest.Any,
  store: Store,
  requestId: string,
): Promise<{ announced: number }> {
  crashPoint("before-announce");
  const approvals = await store.announce(requestId);
  crashPoint("before-pending-event");
  const waiting = approvals.filter((approval) => approval.status === "pending");
  if (waiting.length > 0) {
    await sendAtDatabaseTime(
      inngest,
      store,
      waiting.map((approval) => ({
        id: `${approval.id}:pending`,
        name: approvalEvents.pending.name,
        data: callData(approval),
      })),
    );
  }
  // Withdrawn before it was announced, perhaps before any run waited.
  if (!approvals.some(({ status }) => isOpen(status))) {
    await wakeUp({ inngest, store }, [{ requestId }]);
  }
  crashPoint("after-announce");
  return { announced: waiting.length };
}

/**
 * Closes the gap between two rounds. A decision in the gap found no registered wait, so this step sends the wake-up for
 * the new one.
 */
async function checkAgain(
  inngest: Inngest.Any,
  store: Store,
  { requestId, round }: { requestId: string; round: number },
): Promise<{ open: number }> {
  crashPoint("before-look");
  const { open, approvals } = await store.peek(requestId, round);
  crashPoint("after-look");
  await remind(inngest, store, approvals);
  // So does a decision that was held since the last look, once: if its own wake-up came in the gap, this wait would end too
  // late for it.
  const wasHeld = approvals.some(({ held }) => held?.round === round);
  if (open === 0 || wasHeld) await wakeUp({ inngest, store }, [{ requestId }]);
  return { open };
}

/** Sends the latest reminder of each call. A later check that sends it again uses the same event id. */
async function remind(inngest: Inngest.Any, store: Store, approvals: readonly Approval[]): Promise<void> {
  const reminded = approvals.filter(
    ({ status, escalationSteps }) => status === "pending" && escalationSteps > 0,
  );
  if (reminded.length === 0) return;
  await sendAtDatabaseTime(
    inngest,
    store,
    reminded.map((approval) => ({
      id: `${approval.id}:escalation:${approval.escalationSteps}`,
      name: approvalEvents.reminder.name,
      data: { ...callData(approval), step: approval.escalationSteps, roles: approval.approvers.roles },
    })),
  );
}

function waitFor(ms: number): string {
  const bounded = Math.min(Math.max(ms + graceMs, minWaitMs), maxTimeoutMs);
  return `${Math.ceil(bounded / 1000)}s`;
}
