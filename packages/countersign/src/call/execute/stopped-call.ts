import type { Refusal } from "../../approval/refusal-text.js";
import type { GateRuntime } from "../../gate/gate.js";
import { refusalUnderStop } from "../../gate/refusals.js";
import { coveringStop } from "../../stops/stop.js";
import { currentRun, type InngestRun } from "../run/inngest-run.js";
import type { Ticket } from "../run/ticket.js";

/**
 * The last check before a call that needs no approval starts. A replay of the run checks again:
 *
 * - A refused call stays refused after the stop is released, because the model has read the refusal. A step keeps it.
 * - A call that the run has already passed has started, so a later stop does not affect it.
 *
 * If the stops cannot be read, the step fails, Inngest retries it, and the call does not start meanwhile. If another
 * branch of the function waits for a step, every call makes this check in a step: the SDK would end the request instead
 * of waiting for a query outside of steps.
 */
export async function refusalIfStopped(runtime: GateRuntime, call: AllowedCall): Promise<Refusal | null> {
  const run = await currentRun();
  return run ? refusalInRun(runtime, run, call) : look(runtime, call, null);
}

/** A call that needs no approval. `callKey` names it within its run. */
type AllowedCall = Pick<Ticket, "callKey" | "toolName" | "subject">;

async function refusalInRun(
  runtime: GateRuntime,
  run: InngestRun,
  ticket: AllowedCall,
): Promise<Refusal | null> {
  const stepId = `countersign:stopped:${ticket.callKey}`;
  if (!run.knowsStep(stepId)) {
    if (run.hasGoneFurther() || run.isOnItsWayToLaterStep()) return null;
    const { toolName } = ticket;
    const { tenantId } = ticket.subject;
    if (!run.hasStepsInFlight() && (await isClear(runtime, { tenantId, toolName }))) return null;
  }
  return run.step.run(stepId, async () => {
    const refusal = await look(runtime, ticket, run.runId);
    // A failed attempt may have started the call; nothing records whether it got that far.
    return refusal && run.attempt > 0 ? withEarlierStartNoted(refusal) : refusal;
  });
}

/** True if no stop covers the call. False also if the stops cannot be read. */
function isClear({ store }: GateRuntime, call: { tenantId: string; toolName: string }): Promise<boolean> {
  return store.engagedStops().then(
    (engaged) => coveringStop(engaged, call) === undefined,
    () => false,
  );
}

async function look(
  runtime: GateRuntime,
  { subject: { tenantId }, toolName }: AllowedCall,
  runId: string | null,
): Promise<Refusal | null> {
  return (await refusalUnderStop(runtime, { tenantId, toolName, runId })) ?? null;
}

function withEarlierStartNoted(refusal: Refusal): Refusal {
  const message = `${refusal.message} (If this call already ran in an earlier attempt of this run, before the stop, its effect remains.)`;
  return { ...refusal, message };
}
