import type { AuditType } from "@countersign/policy/internal/display/audit-types";
import { type SQL, sql } from "drizzle-orm";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import type { ReportedType } from "../channel/reported-types.js";

/** Any Drizzle database on Postgres. PGlite and Postgres differ only in how it is made. */
export type Database = PgDatabase<PgQueryResultHKT, Record<string, never>>;

/** What a store verb works with: a connection or transaction, and the database's time. */
export interface Session {
  db: Pick<
    Database,
    | "_"
    | "select"
    | "selectDistinct"
    | "insert"
    | "update"
    | "delete"
    | "execute"
    | "$count"
    | "$with"
    | "with"
  >;
  /**
   * The database's own time when the statement runs, not when its transaction began: a statement that waited for a lock
   * must not judge an expiry by the time before the wait.
   */
  now: SQL<Date>;
  /** Milliseconds by which tests shift the database's time; 0 in production. */
  readonly clockOffsetMs: number;
}

/** An event for the audit log, which adds the time, the position and the hash. */
export type NewAuditEntry = AuditContent & (Reported | NotReported);

/** A transition that channels report. It names the channels to notify, so that none is forgotten. */
interface Reported {
  approvalId: string;
  type: ReportedType;
  notify: readonly string[];
}

interface NotReported {
  approvalId: string | null;
  type: Exclude<AuditType, ReportedType>;
}

interface AuditContent {
  tenantId: string;
  actorId?: string | null;
  data?: Record<string, unknown>;
  /** For metrics and not in the log: milliseconds from the announcement to a decision. */
  waitedMs?: number;
  /** Only for metrics: the log already has the same. */
  countedOnly?: boolean;
  /** The orchestrator sends the public event of this transition. */
  sentByRun?: boolean;
}

/** A session inside one transaction, with its entries for the audit log and the deliveries that it makes due. */
export interface Transaction extends Session {
  /**
   * Like `now`, but the same in all rows that one statement writes or reads: an index can find what is older or newer. With
   * `now`, it would be compared with every row.
   */
  readonly statementNow: SQL<Date>;
  readonly audited: NewAuditEntry[];
  readonly due: string[];
  /** What subscribers in all processes are told after the commit. */
  readonly notices: Set<string>;
}

/**
 * The database's clock in whole milliseconds, shifted by `offsetMs` in tests. Columns hold milliseconds and would round
 * up, so what is due now would only be due half a millisecond later.
 */
export function databaseNow(offsetMs: number, clock = sql`clock_timestamp()`): SQL<Date> {
  return offsetMs === 0
    ? sql<Date>`date_trunc('milliseconds', ${clock})`
    : sql<Date>`date_trunc('milliseconds', ${clock} + ${offsetMs}::double precision * interval '1 millisecond')`;
}

/** What a statement selects from that only calls functions: one row. */
export const oneRow = sql`(values (1)) as one`;

/**
 * In Node, the next tick comes after all reactions to promises, if one of them asks for it. Elsewhere, only the next turn of
 * the event loop is sure to.
 */
const afterReactions: (resume: () => void) => unknown =
  process.versions.bun === undefined && process.versions.deno === undefined ? process.nextTick : setImmediate;

/**
 * Resolves when every statement so far is with the driver: between a verb and the driver, nothing waits but for promises
 * that are resolved already. The driver then writes what it was given in one turn of the event loop together.
 */
export async function handedOver(): Promise<void> {
  await undefined;
  await new Promise<void>((resume) => afterReactions(resume));
}

/**
 * Waits for all promises, even if one fails: a statement still running must not outlive its transaction, whose
 * connection is reused. Throws the first failure in list order, which is the cause if later ones only follow. The
 * statements may reach the database in any order.
 */
export async function together<const T extends readonly unknown[]>(
  promises: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const results = await Promise.allSettled(promises);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
