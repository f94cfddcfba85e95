import { optionMs, wrongOption } from "@countersign/policy/internal/shared/invalid-option";
import type { Preview, PreviewContext, PreviewResult } from "../preview.js";
import { rehearsalFence } from "./rehearsal-fence.js";

/** A Postgres database of Drizzle, with any driver that has transactions. `Tx` is the transaction of its callbacks. */
export interface DrizzleDatabase<Tx extends DrizzleTransaction> {
  transaction(work: (tx: Tx) => Promise<unknown>): Promise<unknown>;
}

export interface DrizzleTransaction {
  execute(query: string): PromiseLike<unknown>;
}

/** A client of postgres.js. `Sql` is the `sql` of its transactions. */
export interface PostgresJsClient<Sql extends PostgresJsTransaction> {
  begin(options: string, work: (sql: Sql) => Promise<unknown>): Promise<unknown>;
}

export interface PostgresJsTransaction {
  unsafe(query: string): PromiseLike<unknown>;
}

/** Makes the changes of a call in a transaction, reads what is different now, and returns it. */
export type Rehearsal<Transaction, Input> = (
  transaction: Transaction,
  input: Input,
  context: PreviewContext,
) => PreviewResult | Promise<PreviewResult>;

export interface RolledBackOptions {
  /**
   * How long the rehearsal may take and hold locks, as a duration of at least one second. The same limit holds for each
   * statement and for each wait for a lock; stricter limits of the database stay. @default "4s"
   */
  timeout?: string;
}

type Statement = (text: string) => PromiseLike<unknown>;
type Begin = (work: (transaction: object, run: Statement) => Promise<never>) => Promise<unknown>;

/**
 * A preview that makes the changes in a transaction of Postgres, which is always rolled back: also if `rehearse` throws,
 * takes too long or tries to commit. Takes a database of Drizzle or a client of postgres.js.
 *
 * What other connections and services do is not rolled back, sequences stay advanced, and the rows that the rehearsal
 * changes are locked until it ends.
 *
 * @param rehearse Must make every change with its first argument and await it, and must not use `commit` or `rollback`.
 * @throws CountersignError `invalid_option`, naming the option.
 *
 * @example
 * ```ts
 * import { rolledBack, rowEffects } from "countersign/previews";
 * import postgres from "postgres";
 *
 * const client = postgres(process.env["DATABASE_URL"] ?? "");
 *
 * export const cancelOrders = rolledBack(client, async (sql, { customer }: { customer: string }) => {
 *   const before = await sql`select id, status from orders where customer = ${customer}`;
 *   await sql`update orders set status = 'cancelled' where customer = ${customer} and status = 'open'`;
 *   const after = await sql`select id, status from orders where customer = ${customer}`;
 *   return { ...rowEffects("order", before, after, { key: "id" }), reversible: false };
 * });
 * ```
 */
export function rolledBack<Tx extends DrizzleTransaction, Input = Record<string, unknown>>(
  database: DrizzleDatabase<Tx>,
  rehearse: Rehearsal<Tx, Input>,
  options?: RolledBackOptions,
): Preview<Input>;
export function rolledBack<Sql extends PostgresJsTransaction, Input = Record<string, unknown>>(
  client: PostgresJsClient<Sql>,
  rehearse: Rehearsal<Sql, Input>,
  options?: RolledBackOptions,
): Preview<Input>;
export function rolledBack(
  database: unknown,
  rehearse: Rehearsal<never, never>,
  options: RolledBackOptions = {},
): Preview<never> {
  const begin = beginOf(database);
  const timeoutMs = optionMs("timeout", options.timeout ?? "4s");
  return (input, context) =>
    rehearsed(begin, timeoutMs, context, async (transaction) =>
      rehearse(transaction as never, input, context),
    );
}

function beginOf(database: unknown): Begin {
  const { begin, transaction } = Object(database) as {
    begin?: PostgresJsClient<PostgresJsTransaction>["begin"];
    transaction?: DrizzleDatabase<DrizzleTransaction>["transaction"];
  };
  if (typeof begin === "function") {
    return (work) =>
      Reflect.apply(begin, database, [
        "",
        (sql: PostgresJsTransaction) => work(sql, (text) => sql.unsafe(text)),
      ]);
  }
  if (typeof transaction === "function") {
    return (work) =>
      Reflect.apply(transaction, database, [
        (tx: DrizzleTransaction) => work(tx, (text) => tx.execute(text)),
      ]);
  }
  throw wrongOption("database", "must be a Postgres database of Drizzle or a client of postgres.js");
}

const guard = "countersign_rehearsal";
/** An expression that fails with these words when it is evaluated, and not when its statement is planned. */
const failure = (words: string) => `cast('${words}' || left(random()::text, 0) as integer)`;

/**
 * Postgres evaluates the query of a cursor `with hold` when the transaction commits. This one fails then, so that the
 * transaction cannot commit. Without a transaction, it fails at once.
 */
const forbidCommit = `declare ${guard} cursor with hold for select ${failure("A rehearsal must not commit")}`;
/** Fails if the transaction in which the cursor was declared has ended or failed; evaluates nothing. */
const requireTransaction = `move 0 from ${guard}`;
/** Releases all locks, and refuses further statements until the driver rolls back. */
const release = ["rollback and chain", `select ${failure("The rehearsal took too long")}`];

function limitStatements(ms: number): string {
  return `select set_config(name, case when setting::int between 1 and ${ms} then setting else '${ms}' end, true)
    from pg_settings where name in ('statement_timeout', 'lock_timeout')`;
}

async function rehearsed(
  begin: Begin,
  timeoutMs: number,
  { signal }: PreviewContext,
  rehearse: (transaction: object) => Promise<PreviewResult>,
): Promise<PreviewResult> {
  const fence = rehearsalFence();
  // Thrown out of the transaction, which makes the driver roll back.
  const rollBack = new Error("The rehearsal is rolled back");
  let result: PreviewResult | undefined;
  let cancelTimeout = () => {};
  try {
    await begin(async (transaction, run) => {
      signal.throwIfAborted();
      await run(limitStatements(timeoutMs));
      await run(forbidCommit);
      let releasing: Promise<void> | undefined;
      cancelTimeout = afterTimeout(timeoutMs, signal, () => {
        fence.close();
        releasing = releaseLocks(run);
      });
      try {
        result = await rehearse(fence.around(transaction));
      } finally {
        fence.close();
        cancelTimeout();
        // The connection may serve others as soon as this callback has ended.
        await releasing;
      }
      await run(requireTransaction);
      throw rollBack;
    });
  } catch (error) {
    if (error === rollBack && result) return result;
    throw error;
  } finally {
    // The driver may give up a lost connection before the rehearsal ends.
    fence.close();
    cancelTimeout();
  }
  throw new Error("The database did not pass on the error that rolls back the rehearsal");
}

/**
 * Does not end the transaction: its connection would serve others while the rehearsal still has statements to run.
 */
async function releaseLocks(run: Statement): Promise<void> {
  try {
    for (const text of release) await run(text);
  } catch {
    // The last statement fails on purpose, and a lost connection holds no locks.
  }
}

/** Calls `onTimeout` once, after the time or when the signal is aborted, unless it is cancelled. */
function afterTimeout(timeoutMs: number, signal: AbortSignal, onTimeout: () => void): () => void {
  const end = () => {
    cancel();
    onTimeout();
  };
  const timer = setTimeout(end, timeoutMs);
  const cancel = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  };
  signal.addEventListener("abort", end);
  return cancel;
}
