import type { RegisteredFunction } from "../../apps/registry.js";
import { storedDemand } from "../../events/demands.js";
import { parseDeadline } from "../../protocol/duration.js";
import type { EngineEvent } from "../../protocol/event.js";
import { newUlid } from "../../protocol/identifiers.js";
import { DISCOVERY, enqueue } from "../../store/queue.js";
import { runs } from "../../store/schema.js";
import { addWaits } from "../../store/waits.js";
import type { Write } from "../../store/writer.js";

/** A run to start. */
export interface StartRun {
  fn: RegisteredFunction;
  event: EngineEvent;
  /** The engine's own id of the event. */
  eventId: string;
  runId?: string;
  /** `<run>.<step>` of the invoke that waits for the run. */
  correlationId?: string;
}

/** Starts a run: queues its first request, and registers its `cancelOn` conditions. */
export async function startRun(write: Write, start: StartRun): Promise<string> {
  const runId = start.runId ?? newUlid(write.now);
  const { fn, event } = start;
  const cancelWaits = (fn.config.cancel ?? []).map((cancel) => ({
    id: newUlid(write.now),
    kind: "cancel" as const,
    runId,
    eventName: cancel.event,
    expression: cancel.if ?? null,
    demands: storedDemand(cancel.if),
    expiresAt: cancel.timeout ? parseDeadline(cancel.timeout, write.now) : null,
  }));
  const run = {
    id: runId,
    appId: fn.appId,
    functionId: fn.id,
    eventId: start.eventId,
    event: JSON.stringify(event),
    status: "Running" as const,
    correlationId: start.correlationId ?? null,
    startedAt: write.now,
  };
  await Promise.all([
    write.tx.insert(runs).values(run),
    addWaits(write, cancelWaits),
    enqueue(write, runId, [DISCOVERY]),
  ]);
  return runId;
}
