import { PGlite } from "@electric-sql/pglite";
import { type PgDatabase, PgDialect, type PgQueryResultHKT, type PgSession } from "drizzle-orm/pg-core";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import { migrations } from "../migrations/migrations.generated.js";
import { schema } from "../schema.js";
import type { DatabaseOption } from "./database-option.js";
import { engineClient } from "./postgres-client.js";

/** The database or a transaction on it. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

/** Drizzle's own migrator, which only its entry points bind to a folder of files. */
async function migrate({ _: { session } }: PgDatabase<PgQueryResultHKT>): Promise<void> {
  await new PgDialect().migrate(migrations, session as PgSession, {
    migrationsFolder: "",
    migrationsTable: "local_engine_migrations",
  });
}

/**
 * Connects and brings the schema up to date.
 *
 * @throws Error if `option` has none of the three forms. Drizzle would otherwise open a new database.
 */
export async function openDatabase(option: DatabaseOption): Promise<OpenDatabase> {
  if (option !== "memory" && !has(option, "postgres") && !has(option, "pglite"))
    throw new Error(
      'database: must be "memory", { pglite } with a PGlite, or { postgres } with a client of postgres.js',
    );
  if (option !== "memory" && "postgres" in option) {
    await migrate(drizzlePostgres(option.postgres));
    const { sql, close } = engineClient(option.postgres);
    return { db: drizzlePostgres(sql, { schema }), close };
  }
  const owned = option === "memory" ? new PGlite() : undefined;
  const client = owned ?? (option as { pglite: PGlite }).pglite;
  await migrate(drizzlePglite(client));
  return { db: drizzlePglite(client, { schema }), close: async () => owned?.close() };
}

function has(option: unknown, name: string): boolean {
  const client: unknown =
    typeof option === "object" && option !== null ? Reflect.get(option, name) : undefined;
  return client !== undefined && client !== null;
}
