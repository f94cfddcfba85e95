import { type Placeholder, sql } from "drizzle-orm";
import { appendAudited } from "./audit/audit.js";
import { builtOnce, type ValueOf } from "./built-once.js";
import { timeLimits, withDeadline } from "./connection/transaction-deadline.js";
import {
  type Database,
  databaseNow,
  handedOver,
  type NewAuditEntry,
  oneRow,
  type Transaction,
  together,
} from "./database.js";
import { writeAnnouncements } from "./delivery/announcements.js";

/** Work in one transaction. Its audit entries are written at the end. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** Runs work in one transaction, which sees only the rows in its scope. */
export type Transact = <T>(work: Work<T>) => Promise<T>;

/** Ends a rehearsal, so that its transaction is rolled back. */
class Rehearsed<T> extends Error {
  constructor(readonly result: T) {
    super("rehearsed");
  }
}

/** The result of the work, without committing it. */
export async function rehearsed<T>(transact: Transact, work: Work<T>): Promise<T> {
  try {
    return await transact<T>(async (tx) => {
      throw new Rehearsed(await work(tx));
    });
  } catch (error) {
    if (error instanceof Rehearsed) return error.result;
    throw error;
  }
}

/** The scope of a transaction: one tenant, or Countersign itself, whose duties cover all tenants. */
export type Scope = { tenantId: string } | "all tenants";

/** The ways to access rows in a transaction: a connection without a scope sees none. */
export interface Transactions extends InScopes {
  /** The same for work that only reads. Its result does not wait for the end of the transaction. */
  reading: InScopes;
  /** Waits until no transaction is under way, and no other work that was {@link track}ed. */
  ended(): Promise<void>;
  track<T>(work: Promise<T>): Promise<T>;
}

export interface InScopes {
  /** For work of one tenant. The database hides every other tenant's rows, whatever the SQL says. */
  inTenant<T>(tenantId: string, work: Work<T>): Promise<T>;
  /** For runs, relay and sweep, which know requests by their ids and not by their tenants. */
  asSystem: Transact;
}

/** After waiting for a lock, verbs must read what its holder wrote, whatever the database's default isolation level. */
export const readCommitted = sql`set transaction isolation level read committed`;

export interface TransactionOptions {
  /** Milliseconds by which tests shift the database's time. */
  clockOffset(): number;
  /** True if the driver itself begins transactions at this level. */
  beginsReadCommitted: boolean;
  /** Maximum milliseconds that a transaction waits for a connection, and again for a lock. */
  waitTimeoutMs: number;
  /** Called with each transaction's audit entries, the deliveries that it made due, and its notices, after the commit. */
  onCommitted(audited: readonly NewAuditEntry[], due: readonly string[], notices: ReadonlySet<string>): void;
}

export function openTransactions(
  db: Database,
  { clockOffset, beginsReadCommitted, waitTimeoutMs, onCommitted }: TransactionOptions,
): Transactions {
  const underWay = new Set<Promise<unknown>>();
  const track = <T>(running: Promise<T>): Promise<T> => {
    const isOver = () => underWay.delete(running);
    underWay.add(running);
    running.then(isOver, isOver);
    return running;
  };
  const transact = <T>(scope: Scope, work: Work<T>): Promise<T> => track(run(scope, work));
  const run = async <T>(scope: Scope, work: Work<T>): Promise<T> => {
    const audited: NewAuditEntry[] = [];
    const due: string[] = [];
    const notices = new Set<string>();
    const last: { sent?: Promise<unknown>; failure?: { error: unknown } } = {};
    const result = await withDeadline(waitTimeoutMs, (deadline) =>
      db.transaction(async (connection) => {
        deadline.begin();
        const clockOffsetMs = clockOffset();
        const tx: Transaction = {
          db: connection,
          now: databaseNow(clockOffsetMs),
          statementNow: databaseNow(clockOffsetMs, sql`statement_timestamp()`),
          clockOffsetMs,
          audited,
          due,
          notices,
        };
        // Sent before the work begins, on the same connection, so the work's first statement need not wait for the
        // answer.
        const begun = together([
          beginsReadCommitted || connection.execute(readCommitted).execute(),
          setScope(tx, settings(scope, waitTimeoutMs)),
        ]);
        const [, result] = await together([begun, work(tx)]);
        // Sent before the commit, which need not wait for the answer: it commits nothing if one of them fails.
        const parts = [writeAnnouncements(tx), appendAudited(tx)];
        for (const part of parts) {
          part.catch((error: unknown) => {
            last.failure ??= { error };
          });
        }
        last.sent = together(parts);
        last.sent.catch(() => {});
        // A statement that could not even be sent has failed by then.
        await handedOver();
        if (last.failure) throw last.failure.error;
        deadline.beforeCommit();
        return result;
      }),
    ).catch((error: unknown) => {
      // What a driver says of the commit only follows from it.
      throw last.failure ? last.failure.error : error;
    });
    await last.sent;
    onCommitted(audited, due, notices);
    return result;
  };
  const read = <T>(scope: Scope, work: Work<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const reading = transact(scope, async (tx) => resolve(await work(tx)));
      reading.catch(reject);
    });
  const inScopes = (run: typeof transact): InScopes => ({
    inTenant: (tenantId, work) => run({ tenantId }, work),
    asSystem: (work) => run("all tenants", work),
  });
  return {
    ...inScopes(transact),
    reading: inScopes(read),
    track,
    async ended() {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/**
 * Sets what the policies of row-level-security.sql read, and how long the database lets the transaction wait. A search
 * path of the role, which can change its own, must not replace functions such as the clock. The locks of a process that
 * vanished are not held for longer than its transaction could take. All ends with the transaction.
 */
const setScope = builtOnce(({ db }, value: ValueOf<keyof ReturnType<typeof settings>>) => {
  const set = (name: string, to: Placeholder | string) =>
    sql`pg_catalog.set_config(${sql.raw(`'${name}'`)}, ${typeof to === "string" ? sql.raw(`'${to}'`) : to}, true)`;
  return db
    .select({
      path: set("search_path", "pg_catalog, pg_temp"),
      tenant: set("countersign.tenant", value("tenantId")),
      all: set("countersign.all_tenants", value("allTenants")),
      lock: set("lock_timeout", value("lockMs")),
      statement: set("statement_timeout", value("statementMs")),
      idle: set("idle_in_transaction_session_timeout", value("transactionMs")),
    })
    .from(oneRow);
});

function settings(scope: Scope, waitTimeoutMs: number) {
  const [tenantId, allTenants] = settingsOf(scope);
  const { statementMs, transactionMs } = timeLimits(waitTimeoutMs);
  return {
    tenantId,
    allTenants,
    lockMs: String(waitTimeoutMs),
    statementMs: String(statementMs),
    transactionMs: String(transactionMs),
  };
}

/** The settings `countersign.tenant` and `countersign.all_tenants` of a scope. */
export function settingsOf(scope: Scope): [tenantId: string, allTenants: "on" | "off"] {
  return scope === "all tenants" ? ["", "on"] : [scope.tenantId, "off"];
}
