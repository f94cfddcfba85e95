import { eq, sql } from "drizzle-orm";
import type { EngineEvent } from "../protocol/event.js";
import type { Database } from "./connection/open-database.js";
import { engines, type QueueItem } from "./schema.js";

/** A transaction that changes state, and the work that follows its commit. */
export interface Write {
  readonly tx: Database;
  /** The engine's time, the same throughout the transaction. */
  readonly now: number;
  /** Queue items that the transaction has added. */
  readonly enqueued: QueueItem[];
  /** Deadlines that the transaction has added. */
  readonly deadlines: number[];
  /** Runs that the transaction has ended. */
  readonly endedRuns: string[];
  /** Events that the transaction has caused. They are processed before its commit. */
  readonly emitted: EngineEvent[];
}

/** Thrown when another engine was started on the same database. This one must no longer use it. */
export class TakenOverError extends Error {
  override name = "TakenOverError";
  constructor() {
    super("Another engine was started on this database; this one has stopped.");
  }
}

/** Runs the transactions that change state, one at a time. */
export class Writer {
  #tail: Promise<unknown> = Promise.resolve();
  #epoch = 0;
  #waiting = 0;

  constructor(
    private readonly db: Database,
    private readonly now: () => number,
    private readonly hooks: {
      /** Processes an event that a transaction has caused, in the same transaction. */
      onEmit(write: Write, event: EngineEvent): Promise<void>;
      onCommit(write: Write): void;
      /** Called when a transaction has ended, whether it was committed or not. */
      onSettled(): void;
    },
  ) {}

  /** The number of transactions that run or wait. */
  get pending(): number {
    return this.#waiting;
  }

  /** Makes this engine the owner of the database. Engines that were started on it before can no longer write. */
  async takeOver(): Promise<void> {
    const [row] = await this.db
      .insert(engines)
      .values({ id: 1, epoch: 1 })
      .onConflictDoUpdate({ target: engines.id, set: { epoch: sql`${engines.epoch} + 1` } })
      .returning();
    this.#epoch = row?.epoch ?? 0;
  }

  /**
   * Runs one transaction at a time. Two runs therefore never wait for each other's rows, nothing can deadlock, and
   * events are matched with waits in one order. Requests to apps run outside of transactions.
   */
  async write<T>(change: (write: Write) => Promise<T>): Promise<T> {
    this.#waiting++;
    const turn = this.#tail.then(() => this.#transact(change));
    this.#tail = turn.catch(() => {});
    try {
      return await turn;
    } finally {
      this.#waiting--;
      this.hooks.onSettled();
    }
  }

  async #transact<T>(change: (write: Write) => Promise<T>): Promise<T> {
    const { write, result } = await this.db.transaction(async (tx) => {
      const effects = { enqueued: [], deadlines: [], endedRuns: [], emitted: [] };
      const write: Write = { tx, now: this.now(), ...effects };
      // The shared lock makes a new engine wait for transactions of the old one that have passed this check.
      const fence = tx.select().from(engines).where(eq(engines.id, 1)).for("share");
      const [[engine], result] = await Promise.all([fence, this.#carryOut(write, change)]);
      if (engine?.epoch !== this.#epoch) throw new TakenOverError();
      return { write, result };
    });
    this.hooks.onCommit(write);
    return result;
  }

  async #carryOut<T>(write: Write, change: (write: Write) => Promise<T>): Promise<T> {
    const result = await change(write);
    for (let event = write.emitted.shift(); event; event = write.emitted.shift()) {
      await this.hooks.onEmit(write, event);
    }
    return result;
  }
}
