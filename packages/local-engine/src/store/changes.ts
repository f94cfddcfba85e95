import { type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import { withoutUnpaired } from "../protocol/unicode.js";
import {
  type EventRow,
  engines,
  events,
  idempotencyKeys,
  type NewStep,
  type NewWait,
  type QueueItem,
  queueItems,
  type Run,
  runs,
  steps,
  waits,
} from "./schema.js";

/** The rows that a write changes, each in its last state. One statement writes them all. */
export class Changes {
  readonly events = new Map<string, EventRow>();
  readonly startedRuns = new Map<string, Run>();
  readonly changedRuns = new Map<string, Run>();
  /** By run and step. */
  readonly steps = new Map<string, NewStep>();
  readonly waits = new Map<string, NewWait>();
  readonly deletedWaits = new Set<string>();
  readonly deletedWaitsOfSteps = new Map<string, { runId: string; stepId: string }>();
  /** Runs whose steps, waits and queue items are deleted. */
  readonly endedRuns = new Set<string>();
  readonly items = new Map<string, QueueItem>();
  readonly deletedItems = new Set<string>();
  readonly keys = new Map<string, typeof idempotencyKeys.$inferInsert>();

  /**
   * The statement that makes all changes if the engine still owns the database, and says whether it does; `undefined` if
   * there is nothing to change. The shared lock makes a new engine wait for a statement that has passed this check.
   */
  statement(epoch: number): SQL<{ owned: boolean }> | undefined {
    const parts = this.#parts();
    if (parts.length === 0) return undefined;
    const fence = sql`fence as (select 1 from ${engines} where id = 1 and epoch = ${epoch} for share)`;
    const named = parts.map((part, index) => sql`${sql.raw(`part_${index}`)} as (${part})`);
    return sql`with ${sql.join([fence, ...named], sql`, `)} select exists (select from fence) as owned`;
  }

  #parts(): SQL[] {
    const owned = sql`exists (select from fence)`;
    const parts: SQL[] = [];
    const insert = (table: PgTable, rows: Iterable<object>, conflict?: SQL) => {
      const given = from(table, [...rows]);
      if (!given) return;
      const names = sql.raw(
        columnsOf(table)
          .map(({ name }) => `"${name}"`)
          .join(", "),
      );
      parts.push(
        sql`insert into ${table} (${names}) select ${names} from ${given} where ${owned} ${conflict ?? sql``}`,
      );
    };
    const remove = (table: PgTable, rows: object[], columns: string[]) => {
      const given = from(table, rows, columns);
      if (!given) return;
      const names = sql.raw(columns.map((name) => `"${name}"`).join(", "));
      parts.push(sql`delete from ${table} where (${names}) in (select ${names} from ${given}) and ${owned}`);
    };
    insert(events, this.events.values());
    insert(runs, this.startedRuns.values());
    const changed = from(
      runs,
      [...this.changedRuns.values()],
      ["id", "request_version", "status", "output", "ended_at"],
    );
    if (changed) {
      parts.push(sql`update ${runs} set request_version = given.request_version, status = given.status,
        output = given.output, ended_at = given.ended_at
        from ${changed} where run.id = given.id and ${owned}`);
    }
    insert(
      steps,
      this.steps.values(),
      sql`on conflict (run_id, id) do update set status = excluded.status, owner = excluded.owner,
        position = excluded.position, state = excluded.state`,
    );
    insert(waits, this.waits.values());
    remove(
      waits,
      [...this.deletedWaits].map((id) => ({ id })),
      ["id"],
    );
    remove(waits, [...this.deletedWaitsOfSteps.values()], ["run_id", "step_id"]);
    insert(
      queueItems,
      this.items.values(),
      sql`on conflict (id) do update set attempt = excluded.attempt, generation = excluded.generation,
        due_at = excluded.due_at`,
    );
    remove(
      queueItems,
      [...this.deletedItems].map((id) => ({ id })),
      ["id"],
    );
    const ended = [...this.endedRuns].map((runId) => ({ runId }));
    for (const table of [steps, waits, queueItems]) remove(table, ended, ["run_id"]);
    insert(
      idempotencyKeys,
      this.keys.values(),
      sql`on conflict (key) do update set run_id = excluded.run_id, expires_at = excluded.expires_at`,
    );
    return parts;
  }
}

function columnsOf(table: PgTable) {
  return getTableConfig(table).columns;
}

/** Rows as a table `given` with a table's columns, or with some of them; `undefined` if there are no rows. */
function from(table: PgTable, rows: readonly object[], names?: readonly string[]): SQL | undefined {
  if (rows.length === 0) return undefined;
  const columns = columnsOf(table).filter(({ name }) => names === undefined || names.includes(name));
  const keys = Object.entries(table).flatMap(([key, column]) =>
    columns.includes(column) ? [[key, (column as PgColumn).name] as const] : [],
  );
  const named = rows.map((row) =>
    Object.fromEntries(keys.map(([key, name]) => [name, Reflect.get(row, key) ?? null])),
  );
  const types = columns.map((column) => `"${column.name}" ${column.getSQLType()}`);
  const json = withoutUnpaired(JSON.stringify(named));
  return sql`json_to_recordset(${json}::json) as given(${sql.raw(types.join(", "))})`;
}
