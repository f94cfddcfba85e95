import type { Registry } from "../../apps/registry.js";
import { textsOf } from "../../events/demands.js";
import { evaluateExpression, matchesExpression } from "../../events/expression.js";
import { canonicalJson } from "../../protocol/canonical-json.js";
import type { EngineEvent } from "../../protocol/event.js";
import { newUlid } from "../../protocol/identifiers.js";
import { takeIdempotencyKey } from "../../store/idempotency.js";
import { listTriggers } from "../../store/runs.js";
import type { Wait } from "../../store/schema.js";
import { deleteWaits, listWaitsForEvent } from "../../store/waits.js";
import type { Write } from "../../store/write.js";
import { finishRun } from "../runs/finish-run.js";
import { resumeStep } from "../runs/resume-step.js";
import { startRun } from "../runs/start-run.js";

/**
 * Applies an event: it cancels runs, ends waits and starts functions. Waits come first, so that an event never ends a
 * wait of a run that it started itself.
 */
export async function processEvent(
  registry: Registry,
  write: Write,
  event: EngineEvent,
  eventId: string,
): Promise<void> {
  await meetWaits(write, event);
  await startFunctions(registry, write, event, eventId);
}

async function meetWaits(write: Write, event: EngineEvent): Promise<void> {
  const waits = await listWaitsForEvent(write, { name: event.name, texts: textsOf(event.data) });
  // Most expressions are about the awaited event only; triggers can be large.
  const needsTrigger = (wait: Wait) => wait.expression?.includes("event") === true;
  const triggers = await listTriggers(
    write,
    waits.filter(needsTrigger).map(({ runId }) => runId),
  );
  const matched = waits.filter((wait) => {
    const trigger = JSON.parse(triggers.get(wait.runId) ?? "null") as unknown;
    return matchesExpression(wait.expression, { event: trigger, async: event });
  });
  await write.load(matched.map(({ runId }) => runId));
  for (const wait of matched) {
    if (wait.kind === "cancel") await finishRun(write, wait.runId, { status: "Cancelled" });
    else if (wait.stepId) await resumeStep(write, wait.runId, wait.stepId, canonicalJson(event));
  }
  deleteWaits(
    write,
    matched.map((wait) => wait.id),
  );
}

async function startFunctions(
  registry: Registry,
  write: Write,
  event: EngineEvent,
  eventId: string,
): Promise<void> {
  const started = new Set<string>();
  for (const { fn, expression } of registry.triggersFor(event.name)) {
    // An event starts a function once, however many triggers match and however often the event is sent.
    if (started.has(fn.id) || !matchesExpression(expression, { event })) continue;
    const runId = newUlid(write.now);
    // Where the event's id is the engine's own, the event is new.
    const isNew = event.id === eventId;
    if (!isNew && !(await takeIdempotencyKey(write, ["event", fn.id, event.name, event.id], runId))) continue;
    started.add(fn.id);
    if (fn.config.idempotency) {
      const value = evaluateExpression(fn.config.idempotency, { event });
      const key = typeof value === "bigint" ? value.toString() : JSON.stringify(value ?? null);
      if (!(await takeIdempotencyKey(write, ["expression", fn.id, key], runId))) continue;
    }
    await startRun(write, { fn, event, eventId, runId });
  }
}
