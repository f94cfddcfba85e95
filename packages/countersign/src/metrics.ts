import { withdrawalCauses } from "@countersign/policy/internal/display/withdrawal-text";
import type { DecisionType } from "@countersign/policy/internal/policy/rules/rule";
import {
  type CountersignErrorCode,
  errorTable,
  isErrorCode,
} from "@countersign/policy/internal/shared/errors";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Store as OpaqueStore } from "./store/opaque-store.js";
import type { Recorded } from "./store/ports/audit-port.js";
import { type Store, storeVerbs } from "./store/store.js";

/** Metrics of one instance, and a handler that serves them. */
export interface Metrics {
  /** For your own gauges, and for `collectDefaultMetrics({ register: registry })`. */
  readonly registry: Registry;
  /** Answers a scrape with data of all tenants, without authentication: mount it where only operators can reach it. */
  handler(request?: Request): Promise<Response>;
}

/**
 * Prometheus metrics of an instance: pending approvals, read from the database at each scrape, and what this process
 * has recorded.
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
export function createMetrics(instance: { store: OpaqueStore }): Metrics {
  const store = storeVerbs(instance.store);
  const registry = new Registry();
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name: `countersign_${name}`, help, labelNames, registers: [registry] });
  const pending = gauge(
    "pending_approvals",
    "Pending approvals by risk and age bucket (upper bound, seconds)",
    ["risk", "age"],
  );
  const oldestPending = gauge("oldest_pending_seconds", "Age of the oldest pending approval in seconds");
  const waiting = gauge("outbox_waiting", "Unacknowledged wake-ups");
  const oldestWakeUp = gauge("outbox_oldest_seconds", "Age of the oldest unacknowledged wake-up in seconds");
  const interrupted = gauge("interrupted_unresolved", "Interrupted calls whose outcome nobody has recorded");
  const stops = gauge("engaged_stops", "Engaged stops of all tenants");
  const messages = gauge("deliveries", "Messages of channels that are due or have failed", [
    "channel",
    "state",
  ]);
  const oldestMessage = gauge(
    "delivery_oldest_seconds",
    "Seconds for which the oldest message that is due has waited",
    ["channel"],
  );
  const disabled = gauge("recipients_disabled", "Recipients of channels disabled after days of failures", [
    "channel",
  ]);
  const relayed = gauge(
    "relay_last_run_timestamp_seconds",
    "When the relay last got through its work, in seconds since 1970, by app (the id of its Inngest client)",
    ["app"],
  );
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
      messages.reset();
      oldestMessage.reset();
      for (const { channel, state, count, oldestSeconds } of now.deliveries) {
        messages.set({ channel, state }, count);
        if (state === "due") oldestMessage.set({ channel }, oldestSeconds);
      }
      disabled.reset();
      for (const { channel, count } of now.disabledRecipients) disabled.set({ channel }, count);
      interrupted.set(now.interrupted);
      stops.set(now.engagedStops);
      relayed.reset();
      for (const { appId, ranAt } of now.relays) relayed.set({ app: appId }, ranAt);
      return new Response(await registry.metrics(), {
        headers: { "content-type": registry.contentType, "cache-control": "no-store" },
      });
    },
  };
}

/** Counts what this process records, after each commit. */
function countRecorded(store: Store, registry: Registry): void {
  const counter = (name: string, help: string, labelNames: string[] = []) =>
    new Counter({ name: `countersign_${name}`, help, labelNames, registers: [registry] });
  const recorded = counter(
    "recorded_total",
    "Audit entries written by this process, by type, and by error code for refusals",
    ["type", "code"],
  );
  const refused = counter(
    "refusals_total",
    "Refused requests of people, by type and error code; a steep rise may indicate probing",
    ["type", "code"],
  );
  const decisions = counter("decisions_total", "Calls decided by people, by decision type", ["type"]);
  const conflicts = counter(
    "conflicts_total",
    "Decisions that were too late or had another digest, by error code",
    ["code"],
  );
  const expiries = counter("expiries_total", "Expired calls");
  const withdrawn = counter("withdrawn_total", "Withdrawn calls by cause", ["cause"]);
  // `increase()` does not see the first withdrawal if its series begins with it.
  for (const cause of withdrawalCauses) withdrawn.inc({ cause }, 0);
  const seconds = new Histogram({
    name: "countersign_decision_seconds",
    help: "Seconds from a call's announcement to its decision",
    buckets: [5, 15, 60, 300, 900, 1800, 3600, 7200, 28_800, 86_400],
    registers: [registry],
  });
  store.observe((entry) => {
    if (entry.written) recorded.inc({ type: entry.type, code: entry.code ?? "" });
    if (entry.type.endsWith(".refused")) refused.inc({ type: entry.type, code: entry.code ?? "" });
    const decision = decided[entry.type];
    if (decision) decisions.inc({ type: decision });
    if (isConflict(entry)) conflicts.inc({ code: entry.code });
    if (entry.type === "approval.expired") expiries.inc();
    if (entry.type === "approval.withdrawn") withdrawn.inc({ cause: entry.cause ?? "" });
    if (entry.waitedMs !== null) seconds.observe(Math.max(0, entry.waitedMs) / 1000);
  });
}

const decided: Readonly<Record<string, DecisionType>> = {
  "approval.approved": "approve",
  "approval.edited": "edit",
  "approval.denied": "deny",
  "approval.responded": "respond",
};

/** Refused because the call had changed, not because of who asked. */
function isConflict(entry: Recorded): entry is Recorded & { code: CountersignErrorCode } {
  if (entry.type !== "decision.refused" || entry.code === null || !isErrorCode(entry.code)) return false;
  const { status } = errorTable[entry.code];
  return status === 409 || status === 410;
}
