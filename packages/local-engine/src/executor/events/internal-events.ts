import { randomUUID } from "node:crypto";
import type { RegisteredFunction } from "../../apps/registry.js";
import type { RunError } from "../../protocol/errors.js";
import type { EngineEvent } from "../../protocol/event.js";
import { newUlid } from "../../protocol/identifiers.js";
import { wellFormed } from "../../protocol/unicode.js";
import type { Run } from "../../store/schema.js";

const FINISHED = "inngest/function.finished";
const FAILED = "inngest/function.failed";
const CANCELLED = "inngest/function.cancelled";

/** The result with which a run ended. */
export type RunOutcome =
  | { status: "Completed"; result: unknown }
  | { status: "Failed"; error: RunError; result: unknown }
  | { status: "Cancelled" };

/**
 * The events at the end of a run: `function.finished`, which tells of every end, and `function.failed` or
 * `function.cancelled`. There are none for a run that such an event started, or it would start another one for ever.
 */
export function createEndEvents(run: Run, outcome: RunOutcome, now: number): EngineEvent[] {
  const trigger = JSON.parse(run.event) as EngineEvent;
  if (trigger.name === FAILED || trigger.name === FINISHED) return [];
  const { user: _user, ...withoutUser } = trigger;
  const data = {
    _inngest: { status: outcome.status },
    ...(run.correlationId ? { correlation_id: run.correlationId } : {}),
    ...(outcome.status === "Failed" ? { error: outcome.error } : {}),
    event: trigger,
    events: [withoutUser],
    function_id: run.functionId,
    ...(outcome.status === "Cancelled" ? {} : { result: outcome.result }),
    run_id: run.id,
  };
  const event = (name: string, id: string): EngineEvent => ({ data, id, name, ts: now, user: {} });
  const finished = event(FINISHED, newUlid(now));
  if (outcome.status === "Completed") return [finished];
  return [finished, event(outcome.status === "Failed" ? FAILED : CANCELLED, run.id)];
}

/** The event that starts a function by `step.invoke`. */
export function createInvokeEvent(invoke: {
  from: RegisteredFunction;
  correlationId: string;
  functionId: string;
  name: string;
  payload: { data: Record<string, unknown>; user?: Record<string, unknown> | undefined };
  expiresAt: number;
  now: number;
}): EngineEvent {
  const _inngest = {
    correlation_id: invoke.correlationId,
    expire: invoke.expiresAt,
    fn_id: invoke.functionId,
    gid: randomUUID(),
    name: invoke.name,
    source_app_id: invoke.from.appUuid,
    source_fn_id: invoke.from.uuid,
    source_fn_v: 1,
  };
  return {
    data: { ...wellFormed(invoke.payload.data), _inngest },
    id: newUlid(invoke.now),
    name: "inngest/function.invoked",
    ts: invoke.now,
    user: invoke.payload.user ?? {},
  };
}

/** The event of a cron trigger. Its id is the scheduled time, so that one tick starts one run. */
export function createCronEvent(cron: string, scheduledAt: number): EngineEvent {
  const at = new Date(scheduledAt).toISOString().replace(/\.\d{3}Z$/, "Z");
  return {
    data: { cron, fireAt: at, scheduledAt: at },
    id: at,
    name: "inngest/scheduled.timer",
    ts: scheduledAt,
    user: {},
  };
}
