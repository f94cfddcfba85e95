import type { RegisteredFunction } from "../../apps/registry.js";
import { storedDemand } from "../../events/demands.js";
import { canonicalJson } from "../../protocol/canonical-json.js";
import { parseDeadline } from "../../protocol/duration.js";
import type { EngineEvent } from "../../protocol/event.js";
import { newUlid } from "../../protocol/identifiers.js";
import { DISCOVERY, enqueue } from "../../store/queue.js";
import type { RunState } from "../../store/run-state.js";
import { addWaits } from "../../store/waits.js";
import type { Write } from "../../store/write.js";

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

/**
 * Starts a run: queues its first request, and registers its `cancelOn` conditions. A run of an event from the future waits
 * until then, as on Inngest's server.
 */
export async function startRun(write: Write, start: StartRun): Promise<void> {
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
    event: canonicalJson(event),
    status: "Running" as const,
    output: null,
    requestVersion: -1,
    correlationId: start.correlationId ?? null,
    startedAt: write.now,
    endedAt: null,
  };
  const state: RunState = { run, steps: new Map(), items: new Map() };
  write.addRun(state);
  await addWaits(write, cancelWaits);
  enqueue(write, state, [DISCOVERY], Math.max(write.now, event.ts));
}
