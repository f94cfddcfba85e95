import { isOpen } from "@countersign/policy/internal/shared/approval-status";
import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { maxTimeoutMs } from "@countersign/policy/internal/shared/duration";
import { type Inngest, type InngestFunction, NonRetriableError } from "inngest";
import { z } from "zod";
import type { Approval } from "../approval/approval.js";
import type { EvidenceReader } from "../evidence/evidence-signer.js";
import type { Store } from "../store/store.js";
import { decidedOf, decidedSchema } from "./decided.js";
import { events, requestOpenedData } from "./events.js";
import { approvalEvents, callData } from "./public-events.js";
import { sendAtDatabaseTime } from "./send-at.js";
import { wakeUpCondition } from "./wake-up-condition.js";

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
      const opened = requestOpenedData.safeParse(event.data);
      if (!opened.success) throw new NonRetriableError("The event has no requestId");
      const { requestId } = opened.data;
      const request = await step.run("read-request", async () => {
        const found = await store.readRequest(requestId);
        // Anybody who may send events can name any request. Those for which a function waits are invoked by it.
        const isForeign = event.name === events.requestOpened && found?.appId !== null;
        return found && !isForeign ? { token: found.wakeUpToken, timeoutMs: found.timeoutMs } : null;
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
                checkAgain(inngest, store, { requestId, token: request.token, round }),
              ),
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

/** Opens the request for decisions and sends the public events. Idempotent after a crash. */
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
    await inngest.send({ name: events.wakeUp, data: { requestId, token } });
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
  { requestId, token, round }: { requestId: string; token: string; round: number },
): Promise<{ open: number }> {
  crashPoint("before-look");
  const { open, approvals } = await store.peek(requestId, round);
  crashPoint("after-look");
  await remind(inngest, store, approvals);
  // So does a decision that was held since the last look, once: if its own wake-up came in the gap, this wait would end too
  // late for it.
  const wasHeld = approvals.some(({ held }) => held?.round === round);
  if (open === 0 || wasHeld) await inngest.send({ name: events.wakeUp, data: { requestId, token } });
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
