import { inArray, sql } from "drizzle-orm";
import { byteLength } from "../protocol/limits.js";
import type { Database } from "./connection/open-database.js";
import { type QueueItem, queueItems, type Run, runs, steps } from "./schema.js";

/** A step of a run, as its row says. */
export interface StoredStep {
  readonly id: string;
  readonly status: "pending" | "done";
  /** `race` asks for a discovery after each step of its group. */
  readonly mode: string | null;
  /** For model calls: the queue item that is making the call. */
  readonly owner: string | null;
  /** The position in the order of completion. */
  readonly position: number | null;
  /** The value of `steps[id]` in requests, as JSON. */
  readonly state: string | null;
  /** The size of the state. */
  readonly bytes: number;
}

/** A run with its queue items and, while it is running, its steps. A write changes it together with the rows. */
export interface RunState {
  run: Run;
  readonly steps: Map<string, StoredStep>;
  readonly items: Map<string, QueueItem>;
}

/** The step of a row; its size is measured once. */
export function storedStep(row: Omit<StoredStep, "bytes">): StoredStep {
  return { ...row, bytes: byteLength(row.state ?? "") };
}

/** Reads runs, each with everything that belongs to it, in one statement. */
async function loadRuns(db: Database, ids: readonly string[]): Promise<RunState[]> {
  // Inside a subquery, Drizzle would write the column of the run without its table.
  const runId = sql`${runs}.id`;
  const rows = await db
    .select({
      run: runs,
      steps: sql<Omit<StoredStep, "bytes">[]>`case when ${runs}.status = 'Running' then (
        select json_agg(json_build_object('id', s.id, 'status', s.status, 'mode', s.mode, 'owner', s.owner,
          'position', s.position, 'state', s.state)) from ${steps} s where s.run_id = ${runId}) end`,
      items: sql<QueueItem[]>`(
        select json_agg(json_build_object('id', q.id, 'runId', q.run_id, 'stepId', q.step_id, 'attempt', q.attempt,
          'generation', q.generation, 'dueAt', q.due_at)) from ${queueItems} q where q.run_id = ${runId})`,
    })
    .from(runs)
    .where(inArray(runs.id, [...ids]));
  return rows.map((row) => ({
    run: row.run,
    steps: new Map((row.steps ?? []).map((step) => [step.id, storedStep(step)])),
    items: new Map((row.items ?? []).map((item) => [item.id, item])),
  }));
}

/**
 * The runs that are being worked on, by id. One is kept from its first use until no queue item of it is due or in
 * progress, so that a request and its response read it once.
 */
export class LiveRuns {
  readonly #states = new Map<string, RunState>();
  readonly #holds = new Map<string, number>();

  constructor(private readonly db: Database) {}

  /** Runs that are not known yet are read together. Ids of no run are missing from the result. */
  async load(ids: readonly string[]): Promise<void> {
    const unknown = [...new Set(ids)].filter((id) => !this.#states.has(id));
    if (unknown.length === 0) return;
    for (const state of await loadRuns(this.db, unknown)) this.#states.set(state.run.id, state);
  }

  get(id: string): RunState | undefined {
    return this.#states.get(id);
  }

  add(state: RunState): void {
    this.#states.set(state.run.id, state);
  }

  /** Keeps a run until as many calls of {@link release}. */
  hold(id: string): void {
    this.#holds.set(id, (this.#holds.get(id) ?? 0) + 1);
  }

  release(id: string): void {
    const holds = (this.#holds.get(id) ?? 0) - 1;
    if (holds > 0) this.#holds.set(id, holds);
    else {
      this.#holds.delete(id);
      this.#states.delete(id);
    }
  }

  /** Forgets runs that nobody holds. */
  trim(ids: Iterable<string>): void {
    for (const id of ids) if (!this.#holds.has(id)) this.#states.delete(id);
  }

  /** Forgets what is in memory of these runs, because the database may not hold it. */
  forget(ids: Iterable<string>): void {
    for (const id of ids) this.#states.delete(id);
  }
}
