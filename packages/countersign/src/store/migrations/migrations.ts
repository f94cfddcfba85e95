import { CountersignError } from "@countersign/policy/internal/shared/errors";
import { is, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { shadowsOwnTables, warnOfSearchPath } from "../connection/search-path.js";
import type { Database, Session } from "../database.js";
import type { MigrateOptions } from "../ports/database-port.js";
import * as schema from "../schema.js";
import { migrations } from "./migrations.generated.js";

/** Drizzle's journal: one row per migration, keyed by the time of its creation. */
const journal = "drizzle.countersign_migrations";

const newJournal = [
  "create schema if not exists drizzle",
  `create table if not exists ${journal} (id serial primary key, hash text not null, created_at bigint)`,
];

/** Migrations may change every tenant's rows, which a transaction only sees with this setting. */
const begin = [
  "select set_config('countersign.all_tenants', 'on', true)",
  "select pg_advisory_xact_lock(hashtextextended('countersign:migrate', 0))",
];

type Migration = (typeof migrations)[number];

/** The statements of a migration, and its entry in the journal. */
function statementsOf({ sql: statements, hash, folderMillis }: Migration): string[] {
  return [...statements, `insert into ${journal} (hash, created_at) values ('${hash}', ${folderMillis})`];
}

/**
 * All migrations with their journal entries as one SQL text, to apply in your own transaction. Drizzle's migrator
 * splits it at its breakpoints, which are comments elsewhere.
 *
 * @param since Omits the migration of this name and all before it.
 * @returns `undefined` if no migration has this name.
 */
export function migrationSql(since?: string): string | undefined {
  const applied = since === undefined ? 0 : migrations.findIndex(({ name }) => name === since) + 1;
  if (since !== undefined && applied === 0) return undefined;
  const statements = [...begin, ...newJournal, ...migrations.slice(applied).flatMap(statementsOf)];
  return statements
    .map((statement) => `${statement.trim().replace(/;$/, "")};\n`)
    .join("--> statement-breakpoint\n");
}

/**
 * Migrates the database to the current version in one transaction. Processes that start at once are serialised by a
 * lock of that transaction, which a pooler keeps on one connection and which ends with the process. Drizzle's own
 * migrator takes no lock.
 */
export async function migrate(db: Database, { onMigration }: MigrateOptions = {}): Promise<string[]> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`set transaction isolation level read committed`);
    for (const statement of begin) await tx.execute(sql.raw(statement));
    const { exists, readable, newest } = await readJournal(tx);
    if (exists && !readable) throw notTheOwner();
    const missing = migrations.filter(({ folderMillis }) => folderMillis > newest);
    // A role that may not create anything can still find that there is nothing to do.
    if (missing.length === 0) return [];
    if (!exists) {
      for (const statement of newJournal) await tx.execute(sql.raw(statement));
    }
    for (const migration of missing) {
      onMigration?.(migration.name);
      for (const statement of statementsOf(migration)) await tx.execute(sql.raw(statement));
    }
    const [path] = await tx
      .select({ shadows: sql<boolean>`${sql.raw(shadowsOwnTables)}` })
      .from(sql`(values (1)) as one`);
    if (path?.shadows) warnOfSearchPath();
    return missing.map(({ name }) => name);
  });
}

function notTheOwner(): CountersignError {
  return new CountersignError(
    "database_failed",
    "store.migrate(): this role cannot read drizzle.countersign_migrations. Migrate with the role that owns the tables",
  );
}

/** Whether the database has the newest migration of this version. */
export async function isMigrated({ db }: Session): Promise<boolean> {
  const { exists, readable, newest } = await readJournal(db);
  if (!exists) return false;
  if (!readable) return hasEveryColumn(db);
  return newest >= Math.max(...migrations.map(({ folderMillis }) => folderMillis));
}

interface Journal {
  exists: boolean;
  /** Whether the role may read it; if not, `newest` is 0. */
  readable: boolean;
  newest: number;
}

async function readJournal(db: Pick<Database, "select">): Promise<Journal> {
  // Uses the catalogues, since querying a table in a forbidden schema is an error.
  const [found] = await db
    .select({
      readable: sql<boolean>`has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'select')`,
    })
    .from(sql`pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace`)
    .where(sql`n.nspname = 'drizzle' and c.relname = 'countersign_migrations'`);
  if (!found?.readable) return { exists: found !== undefined, readable: false, newest: 0 };
  const [last] = await db.select({ at: sql<string | null>`max(created_at)::text` }).from(sql.raw(journal));
  return { exists: true, readable: true, newest: Number(last?.at ?? 0) };
}

/** Whether every column of the schema exists, for roles that may not read the journal. */
async function hasEveryColumn(db: Pick<Database, "select">): Promise<boolean> {
  const wanted = Object.values(schema).flatMap((table) => {
    if (!is(table, PgTable)) return [];
    const { name, columns } = getTableConfig(table);
    return columns.map((column) => ({ table_name: name, column_name: column.name }));
  });
  const [missing] = await db
    .select({ some: sql<boolean>`true` })
    .from(
      sql`json_to_recordset(${JSON.stringify(wanted)}::json) as wanted(table_name text, column_name text)`,
    )
    .where(
      sql`not exists (select from pg_catalog.pg_attribute a
        where a.attrelid = to_regclass(format('countersign.%I', wanted.table_name)) and a.attname = wanted.column_name
        and not a.attisdropped)`,
    )
    .limit(1);
  return missing === undefined;
}
