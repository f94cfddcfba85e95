import { eq, sql } from "drizzle-orm";
import type { EngineEvent } from "../protocol/event.js";
import { AwaitedNames } from "./awaited-names.js";
import type { Database } from "./connection/open-database.js";
import { LiveRuns } from "./run-state.js";
import { engines } from "./schema.js";
import { Write } from "./write.js";

/** Thrown when another engine was started on the same database. This one must no longer use it. */
export class TakenOverError extends Error {
  override name = "TakenOverError";
  constructor() {
    super("Another engine was started on this database; this one has stopped.");
  }
}

/** Maximum number of writes that become durable together. */
const MAX_GROUP = 100;

/** Postgres's code for a row that is already there. */
const UNIQUE_VIOLATION = "23505";

/** A write that waits for its turn. */
interface Turn {
  /** Runs that the write needs, read together with those of other writes. */
  runIds: readonly string[];
  /** Called again if the write is repeated. */
  carryOut(write: Write): Promise<() => void>;
  fail(error: unknown): void;
}

/**
 * Changes state: one write after another, in memory and then in one statement. Writes that wait while a statement is on
 * its way become durable by the next one together.
 */
export class Writer {
  readonly live: LiveRuns;
  readonly #awaited: AwaitedNames;
  #turns: Turn[] = [];
  #working: Promise<void> | undefined;
  #epoch = 0;
  #waiting = 0;

  constructor(
    private readonly db: Database,
    private readonly now: () => number,
    private readonly hooks: {
      /** Processes an event that a write has caused, in the same write. */
      onEmit(write: Write, event: EngineEvent): Promise<void>;
      onCommit(write: Write): void;
      /** Called when a statement has failed, which may have made its changes durable all the same. */
      onUncertain(): void;
      /** Called when a write has ended, whether it became durable or not. */
      onSettled(): void;
    },
  ) {
    this.live = new LiveRuns(db);
    this.#awaited = new AwaitedNames(db);
  }

  /** The number of writes in progress or waiting. */
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
   * Carries out a change in its turn, and resolves when it is durable. Events are therefore matched with waits in one
   * order. Requests to apps are made outside of writes.
   *
   * @param change Carried out again if it has to be repeated, so it must act only on the write.
   * @param runIds The runs that it reads, where they are known before.
   */
  write<T>(change: (write: Write) => Promise<T>, runIds: readonly string[] = []): Promise<T> {
    return this.#enter((resolve, fail) => ({
      runIds,
      async carryOut(write) {
        const result = await change(write);
        return () => resolve(result);
      },
      fail,
    }));
  }

  /**
   * Makes sure that this engine still owns the database, before it acts on what it has only read.
   *
   * @throws TakenOverError if another engine owns it.
   */
  async requireOwnership(): Promise<void> {
    await this.#lockEngine(this.db, "share");
  }

  /** Runs a transaction of statements in its turn, for rows that no write changes. */
  transact<T>(work: (tx: Database) => Promise<T>): Promise<T> {
    return this.write(async () =>
      this.db.transaction(async (tx) => {
        await this.#lockEngine(tx, "share");
        return work(tx);
      }),
    );
  }

  async #enter<T>(turn: (resolve: (result: T) => void, fail: (error: unknown) => void) => Turn): Promise<T> {
    this.#waiting++;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.#turns.push(turn(resolve, reject));
        this.#working ??= this.#work();
      });
    } finally {
      this.#waiting--;
      this.hooks.onSettled();
    }
  }

  async #work(): Promise<void> {
    // Writes that are made in the same turn of the event loop share the first statement.
    await Promise.resolve();
    while (this.#turns.length > 0) await this.#together(this.#turns.splice(0, MAX_GROUP));
    this.#working = undefined;
  }

  /** Makes writes durable together, or each by itself if they fail together. */
  async #together(turns: Turn[], isRepeated = false): Promise<void> {
    const write = new Write(this.db, this.live, this.#awaited, this.now(), isRepeated);
    let ends: Array<() => void>;
    try {
      ends = await this.#carryOut(write, turns);
      await this.#flush(write);
    } catch (error) {
      this.live.forget(write.touched);
      await this.#afterFailure(turns, isRepeated, error);
      return;
    }
    this.hooks.onCommit(write);
    for (const end of ends) end();
    this.live.trim(write.touched);
  }

  async #afterFailure(turns: Turn[], isRepeated: boolean, error: unknown): Promise<void> {
    const mayBeReceived = !isRepeated && codeOf(error) === UNIQUE_VIOLATION;
    if (mayBeReceived || (turns.length > 1 && !(error instanceof TakenOverError))) {
      for (const turn of turns) await this.#together([turn], mayBeReceived);
    } else {
      for (const turn of turns) turn.fail(error);
    }
  }

  async #flush(write: Write): Promise<void> {
    const statement = write.changes.statement(this.#epoch);
    if (!statement) return;
    const result = await this.db.execute(statement).catch(async (error: unknown) => {
      this.hooks.onUncertain();
      // If the connection was lost, the database may still carry it out. This waits for it.
      await this.#lockEngine(this.db).catch(() => {});
      throw error;
    });
    const [row] = rowsOf(result);
    if (row?.owned !== true) throw new TakenOverError();
  }

  /** @throws TakenOverError if another engine owns the database. */
  async #lockEngine(db: Database, how: "share" | "update" = "update"): Promise<void> {
    const [engine] = await db.select().from(engines).where(eq(engines.id, 1)).for(how);
    if (engine?.epoch !== this.#epoch) throw new TakenOverError();
  }

  async #carryOut(write: Write, turns: Turn[]): Promise<Array<() => void>> {
    await write.load(turns.flatMap(({ runIds }) => runIds));
    const ends: Array<() => void> = [];
    for (const turn of turns) {
      ends.push(await turn.carryOut(write));
      for (let event = write.emitted.shift(); event; event = write.emitted.shift()) {
        await this.hooks.onEmit(write, event);
      }
    }
    return ends;
  }
}

/** The rows of a statement, which the drivers return in two forms. */
function rowsOf(result: unknown): { owned: boolean }[] {
  return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as { owned: boolean }[];
}

/** Postgres's code of an error, which Drizzle wraps. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  return Reflect.get(error, "code") ?? codeOf(error.cause);
}
