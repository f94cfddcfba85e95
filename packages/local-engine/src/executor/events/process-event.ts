import type { Registry } from "../../apps/registry.js";
import { textsOf } from "../../events/demands.js";
import { evaluateExpression, matchesExpression } from "../../events/expression.js";
import type { EngineEvent } from "../../protocol/event.js";
import { newUlid } from "../../protocol/identifiers.js";
import { takeIdempotencyKey } from "../../store/idempotency.js";
import { listTriggers } from "../../store/runs.js";
import type { Wait } from "../../store/schema.js";
import { deleteWaits, listWaitsForEvent } from "../../store/waits.js";
import type { Write } from "../../store/writer.js";
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
  const waits = await listWaitsForEvent(
    write.tx,
    { name: event.name, texts: textsOf(event.data) },
    write.now,
  );
  // Most expressions are about the awaited event only; triggers can be large.
  const needsTrigger = (wait: Wait) => wait.expression?.includes("event") === true;
  const triggers = await listTriggers(
    write.tx,
    waits.filter(needsTrigger).map(({ runId }) => runId),
  );
  const matched = waits.filter((wait) => {
    const trigger = JSON.parse(triggers.get(wait.runId) ?? "null") as unknown;
    return matchesExpression(wait.expression, { event: trigger, async: event });
  });
  for (const wait of matched) {
    if (wait.kind === "cancel") await finishRun(write, wait.runId, { status: "Cancelled" });
    else if (wait.stepId) await resumeStep(write, wait.runId, wait.stepId, JSON.stringify(event));
  }
  await deleteWaits(
    write.tx,
    matched.map((wait) => wait.id),
  );
}

async function startFunctions(
  registry: Registry,
  write: Write,
  event: EngineEvent,
  eventId: string,
): Promise<void> {
  for (const { fn, expression } of registry.triggersFor(event.name)) {
    if (!matchesExpression(expression, { event })) continue;
    const runId = newUlid(write.now);
    // An event starts a function once, however many triggers match and however often the event is sent.
    if (!(await takeIdempotencyKey(write.tx, ["event", fn.id, event.name, event.id], runId, write.now)))
      continue;
    if (fn.config.idempotency) {
      const value = evaluateExpression(fn.config.idempotency, { event });
      const key = typeof value === "bigint" ? value.toString() : JSON.stringify(value ?? null);
      if (!(await takeIdempotencyKey(write.tx, ["expression", fn.id, key], runId, write.now))) continue;
    }
    await startRun(write, { fn, event, eventId, runId });
  }
}
