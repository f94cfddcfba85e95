import { Counter, Gauge, Registry } from "prom-client";
import type { Store } from "./store/store.js";

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
  const recorded = new Counter({
    name: "countersign_recorded_total",
    help: "Audit entries that this process has written, by type; code is the error's where one tells of a refusal",
    labelNames: ["type", "code"],
    registers: [registry],
  });
  store.observe(({ type, code }) => recorded.inc({ type, code: code ?? "" }));

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
