import { type SQL, sql } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";

/** Any Drizzle database on Postgres; PGlite and Postgres differ only in how it is made. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** What a verb of the store works with: a connection or transaction, and the time that counts. */
export interface Session {
  db: Pick<Database, "select" | "selectDistinct" | "insert" | "update" | "delete" | "execute" | "$count">;
  /** The database's own time when the statement runs, not when its transaction began: a statement that had
   * to wait for a lock must not judge an expiry by the time before the wait. */
  now: SQL<Date>;
}

/** What happened, to be told in the audit log. The log adds the time, the place and the hash. */
export interface NewAuditEntry {
  tenantId: string;
  approvalId: string | null;
  type: string;
  actorId?: string | null;
  data?: Record<string, unknown>;
  /** For operators, and not in the log: milliseconds from the announcement to a decision. */
  waitedMs?: number;
}

/** A session inside one transaction, and what the audit log is to tell of it. */
export interface Transaction extends Session {
  readonly audited: NewAuditEntry[];
}

/** The database's clock, moved by `offsetMs` where a test moves time. */
export function databaseNow(offsetMs: number): SQL<Date> {
  return offsetMs === 0
    ? sql<Date>`clock_timestamp()`
    : sql<Date>`(clock_timestamp() + ${offsetMs}::double precision * interval '1 millisecond')`;
}

/** A list of texts as a Postgres array. */
export function textArray(items: readonly string[]): SQL {
  return items.length === 0
    ? sql`'{}'::text[]`
    : sql`array[${sql.join(
        items.map((item) => sql`${item}`),
        sql`, `,
      )}]::text[]`;
}

/**
 * Waits for all of them, also where one fails: what still runs must not outlive its transaction, whose connection goes to
 * others. Throws the first failure in the order of the list, which is the cause where the later ones only follow.
 */
export async function together<const T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
