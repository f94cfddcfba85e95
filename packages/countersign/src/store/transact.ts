import { sql } from "drizzle-orm";
import { appendAudited } from "./audit.js";
import { type Database, databaseNow, type NewAuditEntry, type Transaction, together } from "./database.js";
import { withPatience } from "./patience.js";

/** Work in one transaction; what it has audited is written at its end. */
export type Work<T> = (tx: Transaction) => Promise<T>;

/** Runs work in one transaction, which sees the rows that it may see. */
export type Transact = <T>(work: Work<T>) => Promise<T>;

/** For whom a transaction works: one tenant, or Countersign itself, whose duties go over all of them. */
type Scope = { tenantId: string } | "all tenants";

/** The two ways to the rows. There is no third: a connection that says neither sees none. */
export interface Transactions {
  /** For what one tenant asks for; the database keeps every other tenant's rows away, whatever the SQL says. */
  inTenant<T>(tenantId: string, work: Work<T>): Promise<T>;
  /** For what runs, relay and sweep do, which know requests by their ids and not by their tenants. */
  asSystem: Transact;
}

/** What the verbs read after waiting for a lock must be what the lock's holder wrote, whatever the database's default. */
const readCommitted = sql`set transaction isolation level read committed`;

export interface TransactionOptions {
  /** Milliseconds by which tests move the database's time. */
  clockOffset(): number;
  /** True where the driver begins its transactions so by itself. */
  beginsReadCommitted: boolean;
  /** Milliseconds that a transaction may wait for a connection, and as long again for a lock. */
  patienceMs: number;
  /** Told what each transaction has audited, once it is committed. */
  onCommitted(audited: readonly NewAuditEntry[]): void;
}

export function openTransactions(
  db: Database,
  { clockOffset, beginsReadCommitted, patienceMs, onCommitted }: TransactionOptions,
): Transactions {
  const transact = async <T>(scope: Scope, work: Work<T>): Promise<T> => {
    const audited: NewAuditEntry[] = [];
    const result = await withPatience(patienceMs, (patience) =>
      db.transaction(async (connection) => {
        patience.begin();
        const tx: Transaction = { db: connection, now: databaseNow(clockOffset()), audited };
        // On its way before the work begins, on the same connection: the work's first statement need not wait for the answer.
        const begun = together([
          beginsReadCommitted || connection.execute(readCommitted).execute(),
          connection.execute(setScope(scope, patienceMs)).execute(),
        ]);
        const [, result] = await together([begun, work(tx)]);
        await appendAudited(tx);
        patience.beforeCommit();
        return result;
      }),
    );
    onCommitted(audited);
    return result;
  };
  return {
    inTenant: (tenantId, work) => transact({ tenantId }, work),
    asSystem: (work) => transact("all tenants", work),
  };
}

/**
 * What the policies of row-level-security.sql look at, and for how long the database itself lets the transaction wait;
 * both end with the transaction.
 */
function setScope(scope: Scope, patienceMs: number) {
  const tenantId = scope === "all tenants" ? "" : scope.tenantId;
  const allTenants = scope === "all tenants" ? "on" : "off";
  return sql`select set_config('countersign.tenant', ${tenantId}, true), set_config('countersign.all_tenants', ${allTenants}, true),
    set_config('lock_timeout', ${String(patienceMs)}, true), set_config('statement_timeout', ${String(2 * patienceMs)}, true)`;
}
