import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { sql } from "drizzle-orm";
import { logsOf } from "./audit/audit.js";
import type { Changes } from "./changes.js";
import { logNotice } from "./connection/change-feed.js";
import type { Once, OnceOptions, OnceStatement } from "./connection/once.js";
import { sqlStateOf } from "./connection/sql-states.js";
import { type Expiring, withDeadline } from "./connection/transaction-deadline.js";
import { type Database, oneRow, type Transaction } from "./database.js";
import { deliveriesOf } from "./delivery/announcements.js";
import { readCommitted, type Scope, settingsOf, type TransactionOptions } from "./transact.js";

/** What a verb answers, and what is to be written first. */
export interface Judgement<T> {
  result: T;
  /** @default nothing is to be written */
  changes?: Changes | undefined;
}

/** A function of the database that reads all that a verb judges. */
export interface Reading<Seen> {
  name: "read_call" | "read_request";
  parameters: readonly string[];
  parse(text: string | null): Seen;
}

/** What a verb writes without reading first, because all but a status cannot have changed. */
export interface Guess<T> {
  changes: Changes;
  /** What it then answers. */
  result(writtenAt: Date): T;
}

/**
 * Runs a verb in three parts: it reads, judges what it has read without the database, and writes what follows, provided that
 * all of it is still so. Otherwise it reads again. Nothing is locked while it judges. A guess that holds needs no reading.
 */
export type Judge = <Seen, T>(
  reading: Reading<Seen>,
  judge: (seen: Seen) => Judgement<T> | Promise<Judgement<T>>,
  guess?: Guess<T>,
) => Promise<T>;

/**
 * How often a verb may find that something has changed since it read. Each time, somebody else has written, so many writers
 * of one call do not wait for each other without end.
 */
const maxAttempts = 20;

/** Not a state of Postgres: {@link openVerbs} wants another isolation level. See read-and-apply.sql. */
const notReadCommitted = "CT001";

export interface VerbOptions
  extends Pick<TransactionOptions, "clockOffset" | "beginsReadCommitted" | "waitTimeoutMs" | "onCommitted"> {
  /** How the driver sends one statement. @default as Drizzle does */
  once?: Once | undefined;
  /** Notes work that closing waits for. */
  track<T>(work: Promise<T>): Promise<T>;
}

/** The verbs of a database that need no transaction. */
export function openVerbs(
  db: Database,
  { clockOffset, beginsReadCommitted, waitTimeoutMs, onCommitted, track, once }: VerbOptions,
): (scope: Scope) => Judge {
  let isReadCommitted = true;
  const inTransaction = (call: FunctionCall, { begin }: Expiring) =>
    db.transaction(async (tx) => {
      begin();
      if (!beginsReadCommitted) await tx.execute(readCommitted);
      return selected(tx, call);
    });
  const send = async (call: FunctionCall, options: OnceOptions) => {
    if (!isReadCommitted) return inTransaction(call, options);
    try {
      if (once) return await once(statementOf(call), options);
      options.begin();
      return await selected(db, call);
    } catch (error) {
      if (sqlStateOf(error) !== notReadCommitted) throw error;
      isReadCommitted = false;
      return inTransaction(call, options);
    }
  };
  const call = async (given: FunctionCall, { repeatable }: { repeatable: boolean }) => {
    const sending = withDeadline(waitTimeoutMs, (deadline) => send(given, { ...deadline, repeatable }));
    const [row] = await track(sending);
    return row?.result ?? null;
  };
  /** Returns when the changes were written; `undefined` if something of what was judged is no longer so. */
  const apply = async (settings: FunctionCall["settings"], { audited, ...rest }: Changes) => {
    const [deliveries, logs] = [deliveriesOf(audited), logsOf(audited)];
    const changes = { ...rest, ...(deliveries.length > 0 && { deliveries }), logs };
    const parameters = [JSON.stringify(changes)];
    const written = await call({ name: "apply_changes", settings, parameters }, { repeatable: false });
    const at = timeIn(written);
    if (!at) return undefined;
    const due = deliveries.map(({ id }) => id);
    onCommitted(audited, due, new Set(logs.map(({ tenantId }) => logNotice(tenantId))));
    return at;
  };
  return (scope) => async (reading, judge, guess) => {
    const settings = [...settingsOf(scope), String(waitTimeoutMs), clockOffset()] as const;
    const guessedAt = guess && (await apply(settings, guess.changes));
    if (guess && guessedAt) return guess.result(guessedAt);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { name, parameters } = reading;
      const seen = reading.parse(await call({ name, settings, parameters }, { repeatable: true }));
      const { result, changes } = await judge(seen);
      if (!changes || (await apply(settings, changes))) return result;
    }
    throw changedAgain();
  };
}

/** The same within a transaction, whose entries come with its own at its end. */
export function judgingIn(tx: Transaction): Judge {
  const settings = [null, null, null, tx.clockOffsetMs] as const;
  return async (reading, judge) => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { name, parameters } = reading;
      const [read] = await selected(tx.db, { name, settings, parameters });
      const { result, changes } = await judge(reading.parse(read?.result ?? null));
      if (!changes) return result;
      const { audited, ...rest } = changes;
      const apply = { name: "apply_changes" as const, settings, parameters: [JSON.stringify(rest)] };
      const [written] = await selected(tx.db, apply);
      if (!timeIn(written?.result)) continue;
      tx.audited.push(...audited);
      return result;
    }
    throw changedAgain();
  };
}

/** When changes were written; `undefined` if something has changed. */
function timeIn(written: string | null | undefined): Date | undefined {
  const ms = Number(written);
  return written && !Number.isNaN(ms) ? new Date(ms) : undefined;
}

function changedAgain(): CountersignError {
  return new CountersignError(
    "database_failed",
    `What was to be written had changed on each of ${maxAttempts} attempts. It is safe to try again.`,
  );
}

interface FunctionCall {
  name: Reading<unknown>["name"] | "apply_changes";
  settings: readonly (string | number | null)[];
  parameters: readonly string[];
}

function statementOf({ name, settings, parameters }: FunctionCall): OnceStatement {
  const all = [...settings, ...parameters];
  const places = all.map(
    (value, index) => `$${index + 1}${typeof value === "number" ? "::double precision" : ""}`,
  );
  return { text: `select countersign.${name}(${places.join(", ")}) as result`, parameters: all };
}

/** The same through Drizzle. */
function selected(
  db: Pick<Database, "select">,
  { name, settings, parameters }: FunctionCall,
): Promise<readonly { result: string | null }[]> {
  const values = [...settings, ...parameters].map((value) =>
    typeof value === "number" ? sql`${value}::double precision` : sql`${value}`,
  );
  const result = sql<string | null>`${sql.raw(`countersign.${name}`)}(${sql.join(values, sql`, `)})`;
  return db.select({ result }).from(oneRow);
}
