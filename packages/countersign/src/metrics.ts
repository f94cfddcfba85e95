import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { type CountersignErrorCode, errorTable } from "./errors.js";
import type { DecisionType } from "./policy/rule.js";
import type { Recorded, Store } from "./store/store.js";

/** Metrics of one instance, and the way to serve them. */
export interface Metrics {
  /** For gauges of your own, and for `collectDefaultMetrics({ register: registry })`. */
  readonly registry: Registry;
  /** Answers a scrape. It tells about all tenants and asks nobody who they are: mount it where only operators reach it. */
  handler(request?: Request): Promise<Response>;
}

/**
 * Prometheus metrics of an instance: what waits, read from the database at each scrape, and what this process has recorded.
 *
 * @example
 * ```ts
 * import type { Countersign } from "countersign";
 * import { createMetrics } from "countersign/metrics";
 * import { Hono } from "hono";
 *
 * export function operators(countersign: Countersign) {
 *   const metrics = createMetrics(countersign);
 *   return new Hono().get("/metrics", (c) => metrics.handler(c.req.raw));
 * }
 * ```
 */
export function createMetrics({ store }: { store: Store }): Metrics {
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `countersign_${name}`, help, labelNames, registers: [registry] });
  const pending = gauge(
    "pending_approvals",
    "Calls that wait for people, by risk and by age: at most so many seconds",
    ["risk", "age"],
  );
  const oldestPending = gauge("oldest_pending_seconds", "Age of the call that waits longest");
  const waiting = gauge("outbox_waiting", "Wake-ups whose run has not taken note yet");
  const oldestWakeUp = gauge("outbox_oldest_seconds", "Age of the oldest of them");
  const interrupted = gauge("interrupted_unresolved", "Calls that were cut off and nobody has looked into");
  countRecorded(store, registry);

  return {
    registry,
    async handler() {
      const now = await store.statistics();
      pending.reset();
      for (const { risk, age, count } of now.pending) pending.set({ risk, age: age ?? "more" }, count);
      oldestPending.set(now.oldestPendingSeconds);
      waiting.set(now.outbox.waiting);
      oldestWakeUp.set(now.outbox.oldestSeconds);
      interrupted.set(now.interrupted);
      return new Response(await registry.metrics(), {
        headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      });
    },
  };
}

/** Counts what this process records, once it is committed. */
function countRecorded(store: Store, registry: Registry): void {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `countersign_${name}`, help, labelNames, registers: [registry] });
  const recorded = counter(
    "recorded_total",
    "Audit entries that this process has written, by type; code is the error's where one tells of a refusal",
    ["type", "code"],
  );
  const decisions = counter("decisions_total", "Calls that people have decided, by what they decided", [
    "type",
  ]);
  const conflicts = counter(
    "conflicts_total",
    "Decisions that came too late or were about something else, by the error's code",
    ["code"],
  );
  const expiries = counter("expiries_total", "Calls whose time to decide, or to start, has run out");
  const seconds = new Histogram({
    name: "countersign_decision_seconds",
    help: "Seconds from a call's announcement to its decision",
    buckets: [5, 15, 60, 300, 900, 1800, 3600, 7200, 28_800, 86_400],
    registers: [registry],
  });
  store.observe((entry) => {
    recorded.inc({ type: entry.type, code: entry.code ?? "" });
    const decision = decided[entry.type];
    if (decision) decisions.inc({ type: decision });
    if (isConflict(entry)) conflicts.inc({ code: entry.code });
    if (entry.type === "approval.expired") expiries.inc();
    if (entry.waitedMs !== null) seconds.observe(Math.max(0, entry.waitedMs) / 1000);
  });
}

const decided: Readonly<Record<string, DecisionType>> = {
  "approval.approved": "approve",
  "approval.edited": "edit",
  "approval.denied": "deny",
  "approval.responded": "respond",
};

/** Refused because of what the call had become, and not because of who asked. */
function isConflict(entry: Recorded): entry is Recorded & { code: CountersignErrorCode } {
  if (entry.type !== "decision.refused" || entry.code === null || !(entry.code in errorTable)) return false;
  const { status } = errorTable[entry.code as CountersignErrorCode];
  return status === 409 || status === 410;
}
