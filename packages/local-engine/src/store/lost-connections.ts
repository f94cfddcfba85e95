import type postgres from "postgres";

type Work<T> = (tx: postgres.TransactionSql) => Promise<T>;

/**
 * Runs a transaction whose connection may be lost at any time. postgres.js itself would then still write its rollback, and
 * whatever the work goes on to say, to a socket that is gone, which ends the process; or to the connection that takes its
 * place, where it would run outside of the transaction (porsager/postgres, issues 1208 and 1216). Here nothing is written
 * any more once the loss is known: the work never comes back, and what `begin` itself throws when a connection closes
 * ends the wait for it.
 *
 * @param options As `begin` takes them, such as the isolation level.
 * @throws What the work throws, or the driver's error where the connection was lost.
 */
export function transact<T>(client: postgres.Sql, options: string, work: Work<T>): Promise<unknown> {
  let lost = false;
  const whole = client.begin(options, async (tx) => {
    try {
      const result = await work(refusing(tx, () => lost));
      return lost ? await never() : result;
    } catch (error) {
      throw lost || isLoss(error) ? await never() : error;
    }
  });
  whole.catch(() => {
    lost = true;
  });
  return whole;
}

/** The transaction, which takes no statement any more once it is over. */
function refusing(tx: postgres.TransactionSql, isLost: () => boolean): postgres.TransactionSql {
  const unsafe: postgres.TransactionSql["unsafe"] = (...statement) => {
    if (isLost()) throw new Error("The connection to the database was lost, and its transaction with it");
    return tx.unsafe(...statement);
  };
  return new Proxy(tx, {
    get: (target, name) => (name === "unsafe" ? unsafe : Reflect.get(target, name)),
  });
}

/** Whether an error, or what caused it, says that the connection is closed or is about to be. */
function isLoss(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errno, severity } = error as { code?: unknown; errno?: unknown; severity?: unknown };
  const byDriver = typeof code === "string" && code.startsWith("CONNECT");
  const bySystem = typeof errno === "number";
  const byServer = severity === "FATAL" || severity === "PANIC";
  return byDriver || bySystem || byServer || isLoss(error.cause);
}

const never = () => new Promise<never>(() => {});
