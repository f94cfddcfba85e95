import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";

type Work = (tx: postgres.TransactionSql) => Promise<unknown>;

/** Seconds that what still runs on a pool that was replaced is given. */
const lastSeconds = 30;

/**
 * The same client, which survives the loss of its connections. postgres.js by itself (3.4.9) does not: in a transaction
 * whose connection is gone it writes the rollback, and whatever else is said, to a socket that is no more, which ends the
 * process, or to the connection that takes its place, in the middle of somebody else's transaction; and a connection that
 * was given a statement just as it closed is never opened again (porsager/postgres, issues 1133, 1208 and 1216).
 *
 * So nothing is written any more in a transaction once the loss is known, and the first loss replaces the whole pool by a new
 * one with the same options. Nor does the driver forget how many rows had arrived of a result that was cut off: the next
 * statement's rows come after as many holes, which are taken out here.
 *
 * @param owned Whether the pool is ours to end; another's stays open, unused.
 * @param beginOptions As `begin` takes them, such as the isolation level.
 */
export function lastingClient(client: postgres.Sql, owned: boolean, beginOptions = ""): LastingClient {
  let pool = client;
  const replace = (lost: postgres.Sql) => {
    if (pool !== lost) return;
    // The driver takes its own parsed options as well, which its types do not say.
    pool = postgres(client.options as unknown as postgres.Options<Record<string, postgres.PostgresType>>);
    if (lost !== client || owned) void lost.end({ timeout: lastSeconds });
  };
  const begin = async (work: Work) => {
    const used = pool;
    try {
      return await transact(used, beginOptions, work);
    } catch (error) {
      if (isLoss(error)) {
        replace(used);
        // Other connections may be about to close in the same turn of the event loop, and what the caller tries next is not
        // to meet them.
        await sleep(1);
      }
      throw error;
    }
  };
  const unsafe = (...statement: Parameters<postgres.Sql["unsafe"]>) => {
    const used = pool;
    const query = used.unsafe(...statement);
    watch(query, (error) => {
      if (isLoss(error)) replace(used);
    });
    return query;
  };
  const own = new Map<PropertyKey, unknown>([
    ["begin", begin],
    ["unsafe", unsafe],
  ]);
  return {
    sql: new Proxy(client, {
      get: (_, name) => own.get(name) ?? Reflect.get(pool, name),
      apply: (_, self, statement) => Reflect.apply(pool, self, statement),
    }),
    close: async () => {
      if (pool !== client || owned) await pool.end({ timeout: 5 });
    },
  };
}

export interface LastingClient {
  sql: postgres.Sql;
  /** Closes what is ours. */
  close(): Promise<void>;
}

/**
 * Sees to what a statement comes to. It is sent as soon as anybody asks for its result, and what is asked for in which form
 * is the caller's to say; so this is where the driver itself says what it came to.
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

/** In place, since a result knows more than its rows. */
function removeHoles(rows: unknown[]): void {
  const dense = rows.filter(() => true);
  if (dense.length < rows.length) rows.splice(0, rows.length, ...dense);
}

/**
 * A transaction in which nothing is said any more once its connection is lost: the work then never comes back, and what
 * `begin` itself throws when a connection closes ends the wait for it.
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

/** The transaction, which takes no statement any more once it is over. */
function refusing(tx: postgres.TransactionSql, isOver: () => boolean): postgres.TransactionSql {
  const unsafe: postgres.TransactionSql["unsafe"] = (...statement) => {
    if (isOver()) throw new Error("The connection to the database was lost, and its transaction with it");
    return tx.unsafe(...statement);
  };
  return new Proxy(tx, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}

/** Whether an error, or what caused it, says that the connection is closed or is about to be. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, severity } = error as { code?: unknown; syscall?: unknown; severity?: unknown };
  const byDriver = typeof code === "string" && code.startsWith("CONNECT");
  // The driver notes the statement on it; other sockets, which work may use as well, are no concern of the connection's.
  const bySystem = syscall !== undefined && "query" in error;
  const byServer = severity === "FATAL" || severity === "PANIC";
  return byDriver || bySystem || byServer || isLoss(error.cause);
}

const never = () => new Promise<never>(() => {});
