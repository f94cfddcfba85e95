import type { EngineEvent } from "../protocol/event.js";
import type { AwaitedNames } from "./awaited-names.js";
import { Changes } from "./changes.js";
import type { Database } from "./connection/open-database.js";
import type { LiveRuns, RunState } from "./run-state.js";
import type { QueueItem } from "./schema.js";

/** Changes that are made durable together, and the work that follows. */
export class Write {
  readonly changes = new Changes();
  /** Queue items that were added. */
  readonly enqueued: QueueItem[] = [];
  /** Deadlines that were added. */
  readonly deadlines: number[] = [];
  /** Runs that were ended. */
  readonly endedRuns: string[] = [];
  /** Events that were caused. They are processed before the changes become durable. */
  readonly emitted: EngineEvent[] = [];
  /** The runs that were read or added, which nobody else changes meanwhile. */
  readonly #runs = new Map<string, RunState | undefined>();

  constructor(
    /** For reading what is not in memory. It does not show the changes of this write. */
    readonly db: Database,
    private readonly live: LiveRuns,
    readonly awaited: AwaitedNames,
    /** The engine's time, the same throughout. */
    readonly now: number,
    /** Whether events may have been received before, which is tried only after a write failed for it. */
    readonly isRepeated: boolean,
  ) {}

  /** Ids of runs whose state in memory may have changed. */
  get touched(): Iterable<string> {
    return this.#runs.keys();
  }

  /** A run, or undefined. */
  async runOf(id: string): Promise<RunState | undefined> {
    await this.load([id]);
    return this.#runs.get(id);
  }

  /** Reads several runs in one statement, for {@link runOf}. */
  async load(ids: readonly string[]): Promise<void> {
    const further = ids.filter((id) => !this.#runs.has(id));
    await this.live.load(further);
    for (const id of further) this.#runs.set(id, this.live.get(id));
  }

  addRun(state: RunState): void {
    const { run } = state;
    this.#runs.set(run.id, state);
    this.live.add(state);
    this.changes.startedRuns.set(run.id, run);
  }

  /** Changes columns of a run. */
  changeRun(state: RunState, change: Partial<RunState["run"]>): void {
    state.run = { ...state.run, ...change };
    const { startedRuns, changedRuns } = this.changes;
    (startedRuns.has(state.run.id) ? startedRuns : changedRuns).set(state.run.id, state.run);
  }
}
