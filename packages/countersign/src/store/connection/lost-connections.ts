import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

type Work = (tx: postgres.TransactionSql) => Promise<unknown>;

/** Seconds that a replaced pool has for the queries it is still running. */
const lastSeconds = 30;

/** Maximum parameters of a statement, by the driver. */
const maxParameters = 65_533;

/**
 * The same client, which survives the loss of its connections. postgres.js by itself (3.4.9) does not. In a transaction
 * whose connection is lost, it writes the rollback and further statements to a closed socket, which ends the process,
 * or to the replacement connection, in the middle of another transaction. A connection that was given a statement just
 * as it closed is never opened again (porsager/postgres, issues 1133, 1208 and 1216).
 *
 * So a transaction writes nothing more once the loss is known, and the first loss replaces the whole pool by a new one
 * with the same options. The driver also keeps the row count of a result that was cut off: the next statement's rows
 * come after as many holes, which are removed here.
 *
 * @param owned Whether we may end the pool; another's stays open, unused.
 * @param beginOptions The options of `begin`, such as the isolation level.
 */
export function lastingClient(client: postgres.Sql, owned: boolean, beginOptions = ""): LastingClient {
  let pool = client;
  let isClosed = false;
  // What moves each transaction to the next pool, once, that has not begun yet: the driver may have given it to a
  // connection that just closed, and would never answer.
  const unbegun = new Set<(error: unknown) => void>();
  const replace = (lost: postgres.Sql, error: unknown) => {
    if (isClosed || pool !== lost) return;
    // The driver also accepts its own parsed options, which its types do not say. It does not handle the loss of a
    // connection that is still asking for the types of arrays, which would end the process.
    const options = { ...client.options, fetch_types: false };
    pool = postgres(options as unknown as postgres.Options<Record<string, postgres.PostgresType>>);
    if (lost !== client || owned) void lost.end({ timeout: lastSeconds });
    const leaving = [...unbegun];
    unbegun.clear();
    for (const leave of leaving) leave(error);
  };
  const begin = (work: Work, mayMove = true): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const used = pool;
      let hasLeft = false;
      const leave = (error: unknown) => {
        hasLeft = true;
        if (mayMove) resolve(begin(work, false));
        else reject(error);
      };
      unbegun.add(leave);
      const begun = transact(used, beginOptions, (tx) => {
        if (hasLeft) throw new Error("The transaction has begun on another connection");
        unbegun.delete(leave);
        return work(tx);
      });
      begun.then(resolve, async (error: unknown) => {
        unbegun.delete(leave);
        if (isLoss(error)) {
          replace(used, error);
          // Other connections may close in the same turn of the event loop, and the caller's retry must not use one of
          // them.
          await sleep(1);
        }
        reject(error);
      });
    });
  const unsafe = (...statement: Parameters<postgres.Sql["unsafe"]>) => {
    const used = pool;
    const query = used.unsafe(...statement);
    watch(query, (error) => {
      if (isLoss(error)) replace(used, error);
    });
    return query;
  };
  const own = new Map<PropertyKey, unknown>([
    ["begin", (work: Work) => begin(work)],
    ["unsafe", unsafe],
  ]);
  return {
    sql: new Proxy(client, {
      get: (_, name) => own.get(name) ?? Reflect.get(pool, name),
      apply: (_, self, statement) => Reflect.apply(pool, self, statement),
    }),
    close: async () => {
      isClosed = true;
      if (pool !== client || owned) await pool.end({ timeout: 5 });
    },
  };
}

export interface LastingClient {
  sql: postgres.Sql;
  /** Closes our own pools. */
  close(): Promise<void>;
}

/**
 * Observes a statement's result. postgres.js runs a query when its result is requested, in the form that the caller
 * chooses, so we wrap the driver's own resolve and reject.
 */
function watch(query: object, onError: (error: unknown) => void): void {
  const driven = query as { resolve(result: unknown): void; reject(error: unknown): void };
  const { resolve, reject } = driven;
  driven.resolve = (result) => {
    if (Array.isArray(result)) removeHoles(result);
    resolve(result);
  };
  driven.reject = (error) => {
    onError(error);
    reject(error);
  };
}

/** In place, since a result has more than its rows. */
function removeHoles(rows: unknown[]): void {
  const dense = rows.filter(() => true);
  if (dense.length < rows.length) rows.splice(0, rows.length, ...dense);
}

/**
 * A transaction that sends nothing more once its connection is lost. The work then never returns, and the error that
 * `begin` itself throws when a connection closes ends the wait.
 */
async function transact(pool: postgres.Sql, options: string, work: Work): Promise<unknown> {
  let lost = false;
  try {
    return await pool.begin(options, async (tx) => {
      try {
        const result = await work(refusing(tx, () => lost));
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
function refusing(tx: postgres.TransactionSql, isOver: () => boolean): postgres.TransactionSql {
  const unsafe: postgres.TransactionSql["unsafe"] = (...statement) => {
    if (isOver()) throw new Error("The connection to the database was lost, and its transaction with it");
    refuseUnsendable(statement[1] ?? []);
    return sendOnce(tx.unsafe(...statement));
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

const never = () => new Promise<never>(() => {});
