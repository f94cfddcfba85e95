import { bigint, boolean, index, integer, pgSchema, primaryKey, text } from "drizzle-orm/pg-core";

/**
 * Everything that must outlive the process. JSON of user data is kept as text, since `jsonb` would refuse `\u0000` and
 * forget the order of keys. Times are milliseconds since the Unix epoch on the engine's clock.
 */
export const localEngine = pgSchema("local_engine");

/** Has one row. The epoch shows an engine that another one has taken over the database. */
export const engines = localEngine.table("engine", {
  id: integer("id").primaryKey(),
  epoch: bigint("epoch", { mode: "number" }).notNull(),
});

export const apps = localEngine.table("app", {
  id: text("id").primaryKey(),
  url: text("url").notNull(),
  /** Reached by calling a handler of this process, not over HTTP. */
  inProcess: boolean("in_process").notNull(),
  functions: text("functions").notNull(),
  syncedAt: bigint("synced_at", { mode: "number" }).notNull(),
});

/** Received events, by which one that is sent again is recognised and the runs of one are found. */
export const events = localEngine.table(
  "event",
  {
    /** The engine's own id (a ULID); `eventId` is the sender's, if any. */
    id: text("id").primaryKey(),
    eventId: text("event_id").notNull(),
    name: text("name").notNull(),
    receivedAt: bigint("received_at", { mode: "number" }).notNull(),
  },
  (table) => [index("event_event_id_idx").on(table.eventId)],
);

export const runs = localEngine.table(
  "run",
  {
    id: text("id").primaryKey(),
    appId: text("app_id").notNull(),
    functionId: text("function_id").notNull(),
    eventId: text("event_id").notNull(),
    event: text("event").notNull(),
    status: text("status", { enum: ["Running", "Completed", "Failed", "Cancelled"] }).notNull(),
    output: text("output"),
    /** The request version from the `x-inngest-req-version` header of the SDK; -1 before its first response. */
    requestVersion: integer("request_version").notNull().default(-1),
    /** `<run>.<step>` of the `step.invoke` that waits for this run. */
    correlationId: text("correlation_id"),
    startedAt: bigint("started_at", { mode: "number" }).notNull(),
    endedAt: bigint("ended_at", { mode: "number" }),
  },
  (table) => [index("run_event_id_idx").on(table.eventId)],
);

export const steps = localEngine.table(
  "step",
  {
    runId: text("run_id").notNull(),
    /** The SDK's hashed id. */
    id: text("id").notNull(),
    status: text("status", { enum: ["pending", "done"] }).notNull(),
    /** `race` asks for a discovery after each step of its group. */
    mode: text("mode"),
    /** For model calls: the queue item that is making the call. */
    owner: text("owner"),
    /** The position in the order of completion, which replays follow. */
    position: integer("position"),
    /** The value of `steps[id]` in requests, as JSON. */
    state: text("state"),
  },
  (table) => [primaryKey({ columns: [table.runId, table.id] })],
);

export const waits = localEngine.table(
  "wait",
  {
    id: text("id").primaryKey(),
    kind: text("kind", { enum: ["event", "invoke", "sleep", "cancel"] }).notNull(),
    runId: text("run_id").notNull(),
    stepId: text("step_id"),
    eventName: text("event_name"),
    expression: text("expression"),
    /** A text that the event's data must contain for the expression to be true; null if there is no such demand. */
    demands: text("demands"),
    expiresAt: bigint("expires_at", { mode: "number" }),
  },
  (table) => [
    index("wait_event_name_idx").on(table.eventName, table.demands),
    index("wait_expires_at_idx").on(table.expiresAt),
    index("wait_run_id_idx").on(table.runId),
  ],
);

export const queueItems = localEngine.table(
  "queue_item",
  {
    id: text("id").primaryKey(),
    runId: text("run_id").notNull(),
    /** A planned step's hashed id, or `step` for a discovery. */
    stepId: text("step_id").notNull(),
    attempt: integer("attempt").notNull(),
    generation: integer("generation").notNull(),
    dueAt: bigint("due_at", { mode: "number" }).notNull(),
  },
  (table) => [index("queue_item_due_at_idx").on(table.dueAt), index("queue_item_run_id_idx").on(table.runId)],
);

/** Keys that keep an event or an `idempotency` expression from starting a function twice. */
export const idempotencyKeys = localEngine.table(
  "idempotency_key",
  {
    key: text("key").primaryKey(),
    runId: text("run_id").notNull(),
    expiresAt: bigint("expires_at", { mode: "number" }).notNull(),
  },
  (table) => [index("idempotency_key_expires_at_idx").on(table.expiresAt)],
);

export const schema = { engines, apps, events, runs, steps, waits, queueItems, idempotencyKeys };

export type Run = typeof runs.$inferSelect;
export type Wait = typeof waits.$inferSelect;
export type QueueItem = typeof queueItems.$inferSelect;
export type NewStep = typeof steps.$inferInsert;
export type NewWait = typeof waits.$inferInsert;
export type EventRow = typeof events.$inferInsert;
