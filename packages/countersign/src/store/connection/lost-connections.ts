import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

type Work = (tx: postgres.TransactionSql) => Promise<unknown>;

/** Seconds that a replaced pool has for the queries it is still running. */
const lastSeconds = 30;

/** Maximum parameters of a statement, by the driver. */
const maxParameters = 65_533;

/** What a pool's transactions report, so that a pool whose server no longer answers can be found. */
export interface PoolWatch {
  /** A transaction wants a connection. `limited`: the server limits the time of its statements. */
  enter(limited: boolean): TransactionWatch;
}

export interface TransactionWatch {
  /** The transaction has begun. `onSilence` is called if a statement of it is then never answered. */
  begun(onSilence: (error: Error) => void): void;
  sent(): void;
  answered(): void;
  /** The transaction is over, or wants no connection of this pool any more. */
  ended(): void;
}

export interface LastingOptions {
  /** Whether we may end the pool; another's stays open, unused. */
  owned: boolean;
  /** The options of `begin`, such as the isolation level. */
  beginOptions?: string;
  /**
   * Watches a pool, and calls `onSilence` if its server no longer answers. `shared` pools also serve transactions that
   * are not reported.
   */
  watch?: (shared: boolean, onSilence: (error: Error) => void) => PoolWatch;
}

interface Pool {
  sql: postgres.Sql;
  watch: PoolWatch | undefined;
}

/** What statements need that are sent in no transaction, but may wait in the database. */
export interface Pools {
  /** The pool that is in use. */
  current(): Pool;
  /**
   * What moves each to the next pool, once, that has not begun yet: the driver may have given it to a connection that just
   * closed, and would never answer.
   */
  unbegun: Set<(error: unknown) => void>;
  /** Replaces the pool of one that has failed, if its connection was lost. */
  failed(used: Pool, error: unknown): Promise<void>;
}

/**
 * The same client, which survives the loss of its connections. postgres.js by itself (3.4.9) does not. In a transaction
 * whose connection is lost, it writes the rollback and further statements to a closed socket, which ends the process,
 * or to the replacement connection, in the middle of another transaction. A connection that was given a statement just
 * as it closed is never opened again (porsager/postgres, issues 1133, 1208 and 1216).
 *
 * So a transaction writes nothing more once the loss is known, and the first loss replaces the whole pool by a new one
 * with the same options. The driver also keeps the row count of a result that was cut off: the next statement's rows
 * come after as many holes, which are removed here.
 */
export function lastingClient(client: postgres.Sql, options: LastingOptions): LastingClient {
  const { owned, beginOptions = "" } = options;
  const watched = (sql: postgres.Sql, shared: boolean): Pool => {
    const one: Pool = { sql, watch: options.watch?.(shared, (error) => replace(one, error)) };
    return one;
  };
  const unbegun: Pools["unbegun"] = new Set();
  const replace = (lost: Pool, error: unknown) => {
    // A client that its host has ended is not lost: nobody would end ours.
    if (isClosed || pool !== lost || (lost.sql === client && isEnd(error))) return;
    pool = watched(sameClient(client), false);
    if (lost.sql !== client || owned) void lost.sql.end({ timeout: lastSeconds });
    const leaving = [...unbegun];
    unbegun.clear();
    for (const leave of leaving) leave(error);
  };
  let pool = watched(client, !owned);
  let isClosed = false;
  const failed = async (used: Pool, error: unknown) => {
    if (!isLoss(error)) return;
    replace(used, error);
    // Other connections may close in the same turn of the event loop, and the caller's retry must not use one of them.
    await sleep(1);
  };
  const begin = (work: Work, limited: boolean, mayMove = true): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const used = pool;
      const watch = used.watch?.enter(limited);
      let hasLeft = false;
      const leave = (error: unknown) => {
        hasLeft = true;
        watch?.ended();
        if (mayMove) resolve(begin(work, limited, false));
        else reject(error);
      };
      unbegun.add(leave);
      const begun = transact(used.sql, beginOptions, watch, (tx) => {
        if (hasLeft) throw new Error("The transaction has begun on another connection");
        unbegun.delete(leave);
        watch?.begun(reject);
        return work(tx);
      });
      const isOver = watch ? begun.finally(watch.ended) : begun;
      isOver.then(resolve, async (error: unknown) => {
        unbegun.delete(leave);
        await failed(used, error);
        reject(error);
      });
    });
  // Outside of transactions, what the database does not answer at once is sent by means of the pools.
  const unsafe = (...statement: Parameters<postgres.Sql["unsafe"]>) => {
    const used = pool;
    const watch = used.watch?.enter(true);
    const query = used.sql.unsafe(...statement);
    onSettled(
      query,
      (result) => {
        watch?.ended();
        removeHoles(result);
      },
      (error) => {
        watch?.ended();
        if (isLoss(error)) replace(used, error);
      },
    );
    return query;
  };
  const lasting = (limited: boolean) => {
    const own = new Map<PropertyKey, unknown>([
      ["begin", (work: Work) => begin(work, limited)],
      ["unsafe", unsafe],
    ]);
    return new Proxy(client, {
      get: (_, name) => own.get(name) ?? Reflect.get(pool.sql, name),
      apply: (_, self, statement) => Reflect.apply(pool.sql, self, statement),
    });
  };
  return {
    sql: lasting(true),
    unlimited: lasting(false),
    pools: { current: () => pool, unbegun, failed },
    close: async () => {
      isClosed = true;
      if (pool.sql !== client || owned) await pool.sql.end({ timeout: 5 });
    },
  };
}

/**
 * Another client with the same options. It does not ask for the types of arrays when it connects: the driver does not
 * handle the loss of a connection that still does, which would end the process.
 */
export function sameClient(client: postgres.Sql, options: { max?: number } = {}): postgres.Sql {
  // The driver also accepts its own parsed options, which its types do not say.
  const parsed: unknown = { ...client.options, ...options, fetch_types: false };
  return postgres(parsed as postgres.Options<Record<string, postgres.PostgresType>>);
}

export interface LastingClient {
  sql: postgres.Sql;
  /** The same, for transactions whose statements may take as long as they want. */
  unlimited: postgres.Sql;
  pools: Pools;
  /** Closes our own pools. */
  close(): Promise<void>;
}

/**
 * Observes a statement's result. postgres.js runs a query when its result is requested, in the form that the caller
 * chooses, so we wrap the driver's own resolve and reject.
 */
function onSettled(
  query: object,
  onResult: (result: unknown) => void,
  onError: (error: unknown) => void,
): void {
  const driven = query as { resolve(result: unknown): void; reject(error: unknown): void };
  const { resolve, reject } = driven;
  driven.resolve = (result) => {
    onResult(result);
    resolve(result);
  };
  driven.reject = (error) => {
    onError(error);
    reject(error);
  };
}

/** In place, since a result has more than its rows. */
export function removeHoles(rows: unknown): void {
  if (!Array.isArray(rows)) return;
  const dense = rows.filter(() => true);
  if (dense.length < rows.length) rows.splice(0, rows.length, ...dense);
}

/**
 * A transaction that sends nothing more once its connection is lost. The work then never returns, and the error that
 * `begin` itself throws when a connection closes ends the wait.
 */
async function transact(
  pool: postgres.Sql,
  options: string,
  watch: TransactionWatch | undefined,
  work: Work,
): Promise<unknown> {
  let lost = false;
  try {
    return await pool.begin(options, async (tx) => {
      try {
        const result = await work(refusing(tx, watch, () => lost));
        return lost ? await never() : result;
      } catch (error) {
        throw lost || isLoss(error) ? await never() : error;
      }
    });
  } finally {
    lost = true;
  }
}

/**
 * Keeps the driver from sending a statement again. It does so with prepared ones whose plan is outdated, which cannot
 * save a transaction, but what was sent together with the commit would then be written after it.
 */
function sendOnce<Query extends object>(query: Query): Query {
  const driven = query as unknown as { cancelled: unknown; reject(error: unknown): void };
  return Object.defineProperty(query, "retried", {
    set(error: unknown) {
      driven.cancelled = true;
      driven.reject(error);
    },
  });
}

function reported<Query extends object>(query: Query, watch: TransactionWatch | undefined): Query {
  if (!watch) return query;
  watch.sent();
  onSettled(query, watch.answered, watch.answered);
  return query;
}

/** The driver would notice these while it writes, and then reject the statement before this one. */
function refuseUnsendable(parameters: readonly unknown[]): void {
  if (parameters.length > maxParameters) {
    throw new RangeError(
      `A statement has ${parameters.length} parameters; the database accepts ${maxParameters}`,
    );
  }
  if (parameters.includes(undefined)) throw new TypeError("A parameter of a statement is undefined");
}

/** The transaction, which accepts no statement once it is over. */
function refusing(
  tx: postgres.TransactionSql,
  watch: TransactionWatch | undefined,
  isOver: () => boolean,
): postgres.TransactionSql {
  const unsafe: postgres.TransactionSql["unsafe"] = (...statement) => {
    if (isOver()) throw new Error("The connection to the database was lost, and its transaction with it");
    refuseUnsendable(statement[1] ?? []);
    return reported(sendOnce(tx.unsafe(...statement)), watch);
  };
  return new Proxy(tx, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}

/** Whether an error, or its cause, says that the connection is closed or about to close. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, severity } = error as { code?: unknown; syscall?: unknown; severity?: unknown };
  const byDriver = typeof code === "string" && code.startsWith("CONNECT");
  // The driver adds the statement to it. Errors of other sockets, which the work may use too, do not concern the
  // connection.
  const bySystem = syscall !== undefined && "query" in error;
  const byServer = severity === "FATAL" || severity === "PANIC";
  return byDriver || bySystem || byServer || isLoss(error.cause);
}

/** Whether the driver refused a statement because its client was told to end. */
function isEnd(error: unknown): boolean {
  return error instanceof Error && (Reflect.get(error, "code") === "CONNECTION_ENDED" || isEnd(error.cause));
}

const never = () => new Promise<never>(() => {});
