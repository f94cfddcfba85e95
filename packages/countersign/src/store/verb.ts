import { crashPoint } from "@countersign/policy/internal/shared/crash-point";
import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { isStorable } from "@countersign/policy/internal/shared/storable-text";
import { sql } from "drizzle-orm";
import { logsOf } from "./audit/audit.js";
import { relevantTypes } from "./audit/trail-types.js";
import type { Changes } from "./changes.js";
import { logNotice } from "./connection/change-feed.js";
import { grouping } from "./connection/grouping.js";
import type { Once, OnceOptions, OnceStatement } from "./connection/once.js";
import { sqlStateOf } from "./connection/sql-states.js";
import { type Expiring, withDeadline } from "./connection/transaction-deadline.js";
import { type Database, oneRow, type Transaction } from "./database.js";
import { deliveriesOf } from "./delivery/announcements.js";
import { storableJson } from "./rows/storable-json.js";
import { readCommitted, type Scope, settingsOf, type TransactionOptions } from "./transact.js";

/** What a verb answers, and what is to be written first. */
export interface Judgement<T> {
  result: T;
  /** @default nothing is to be written */
  changes?: Changes | undefined;
  /** What it answers once the changes are written. @default `result` */
  written?(at: Date): T;
}

/** What of the database a verb judges. */
export interface Reading<Seen> {
  kind: "call" | "calls" | "request" | "decision" | "granting" | "proposal" | "unpublished";
  id: string;
  /** @param json `null` if there is none. */
  parse(json: unknown): Seen;
}

/** What a verb writes without reading first, because the database compares all that it rests on. */
export interface Guess<T> {
  changes: Changes;
  /** What it then answers. */
  written(at: Date): T;
}

/**
 * Runs a verb in three parts: it reads, judges what it has read without the database, and writes what follows, provided that
 * all of it is still so. Otherwise it reads again. Nothing is locked while it judges. A guess that holds needs no reading.
 */
export type Judge = <Seen, T>(...verb: JudgeArguments<Seen, T>) => Promise<T>;

type JudgeArguments<Seen, T> = [
  reading: Reading<Seen>,
  judge: (seen: Seen) => Judgement<T> | Promise<Judgement<T>>,
  guess?: Guess<T>,
];

/**
 * How often a verb may find that something has changed since it read. Each time, somebody else has written, so many writers
 * of one call do not wait for each other without end.
 */
const maxAttempts = 20;

/** Milliseconds that changes in a line wait for a lock. Whoever has to wait for longer does so outside of the line. */
const rowWaitInLineMs = 20;

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
  const call = async (call: FunctionCall, { repeatable }: { repeatable: boolean }) =>
    resultsOf(await withDeadline(waitTimeoutMs, (deadline) => send(call, { ...deadline, repeatable })));
  const settingsFor = (scope: Scope) => [...settingsOf(scope), String(waitTimeoutMs), clockOffset()] as const;
  const read = grouping<ReadLine, string, unknown>({
    send: ({ scope, kind }, ids) => call(readCall(settingsFor(scope), kind, ids), { repeatable: true }),
  });
  const write = grouping<WriteLine, string, unknown>({
    async send({ scope }, sets, how) {
      const rowWaitMs = how === "alone" ? waitTimeoutMs : Math.min(rowWaitInLineMs, waitTimeoutMs - 1);
      const applying = applyCall(settingsFor(scope), String(Math.max(1, rowWaitMs)), sets);
      const results = await call(applying, { repeatable: false });
      if (sets.length > 1) crashPoint("after-group");
      return results;
    },
    mustWait: (result) => result === "locked",
    sizeOf: (set) => set.length,
  });
  /** Returns when the changes were written; `undefined` if something of what was judged is no longer so. */
  const apply = async (scope: Scope, { audited, tenantId, publishedUpTo, ...rest }: Changes) => {
    const [deliveries, logs] = [deliveriesOf(audited), logsOf(audited)];
    const published = publishedUpTo === undefined ? [] : [{ tenantId, entries: [], publishedUpTo }];
    const set = storableJson({
      ...{ ...rest, ...(deliveries.length > 0 && { deliveries }), logs: [...logs, ...published] },
    });
    const at = timeIn(await write({ scope, tenantId, turn: rest.turn }, set));
    if (!at) return undefined;
    const due = deliveries.map(({ id }) => id);
    onCommitted(audited, due, new Set(logs.map((log) => logNotice(log.tenantId))));
    return at;
  };
  const run = async <Seen, T>(
    scope: Scope,
    ...[{ kind, id, parse }, judge, guess]: JudgeArguments<Seen, T>
  ) => {
    const guessedAt = guess && (await apply(scope, guess.changes));
    if (guess && guessedAt) return guess.written(guessedAt);
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      // The database refuses other ids, and has no row with them.
      const json = isStorable(id) ? await read({ scope, kind }, id) : null;
      const judgement = await judge(parse(json));
      if (!judgement.changes) return judgement.result;
      const at = await apply(scope, judgement.changes);
      if (at) return answerOf(judgement, at);
    }
    throw changedAgain();
  };
  return (scope) =>
    (...verb) =>
      track(run(scope, ...verb));
}

/** What is read together. */
interface ReadLine {
  scope: Scope;
  kind: Reading<unknown>["kind"];
}

/** What is written together: writers of one tenant would only wait for each other, at its log. Proposals also take turns. */
interface WriteLine {
  scope: Scope;
  tenantId: string;
  turn: string | undefined;
}

/** The same within a transaction, whose entries come with its own at its end. */
export function judgingIn(tx: Transaction): Judge {
  const settings = [null, null, null, tx.clockOffsetMs] as const;
  return async (reading, judge) => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const { kind, id } = reading;
      const [read] = resultsOf(await selected(tx.db, readCall(settings, kind, [id])));
      const judgement = await judge(reading.parse(read ?? null));
      if (!judgement.changes) return judgement.result;
      const { audited, tenantId: _, ...rest } = judgement.changes;
      const set = storableJson({ ...rest, logs: [] });
      const [written] = resultsOf(await selected(tx.db, applyCall(settings, null, [set])));
      const at = timeIn(written);
      if (!at) continue;
      tx.audited.push(...audited);
      return answerOf(judgement, at);
    }
    throw changedAgain();
  };
}

function answerOf<T>({ result, written }: Judgement<T>, at: Date): T {
  return written ? written(at) : result;
}

/** When changes were written; `undefined` if something has changed. */
function timeIn(written: unknown): Date | undefined {
  const ms = typeof written === "string" ? Number(written) : Number.NaN;
  return Number.isNaN(ms) ? undefined : new Date(ms);
}

function changedAgain(): CountersignError {
  return new CountersignError(
    "database_failed",
    `What was to be written had changed on each of ${maxAttempts} attempts. It is safe to try again.`,
  );
}

interface FunctionCall {
  name: "read_all" | "apply_changes";
  settings: Settings;
  parameters: readonly (string | null)[];
}

type Settings = readonly (string | number | null)[];

function readCall(settings: Settings, kind: Reading<unknown>["kind"], ids: readonly string[]): FunctionCall {
  return { name: "read_all", settings, parameters: [kind, JSON.stringify(ids), relevantTypes.join(",")] };
}

/** @param sets Each as JSON. */
function applyCall(settings: Settings, rowWaitMs: string | null, sets: readonly string[]): FunctionCall {
  return { name: "apply_changes", settings, parameters: [rowWaitMs, `[${sets.join(",")}]`] };
}

/** A function returns a JSON array. */
function resultsOf([row]: readonly { result: string | null }[]): unknown[] {
  return row?.result ? JSON.parse(row.result) : [];
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
