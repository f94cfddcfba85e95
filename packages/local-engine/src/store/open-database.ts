import { fileURLToPath } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { migrate as migratePglite } from "drizzle-orm/pglite/migrator";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import { migrate as migratePostgres } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";
import { engineClient } from "./postgres-client.js";
import { schema } from "./schema.js";

/**
 * Where the engine keeps its state. `"memory"` is a fresh PGlite that the engine owns and closes. A `postgres` client
 * is best the engine's own: Drizzle sets its own parsers for dates and JSON on it.
 */
export type DatabaseOption = { pglite: PGlite } | { postgres: postgres.Sql } | "memory";

/** The database or a transaction on it. */
export type Database = PgDatabase<PgQueryResultHKT, typeof schema>;

export interface OpenDatabase {
  readonly db: Database;
  close(): Promise<void>;
}

const migrations = {
  migrationsFolder: fileURLToPath(new URL("../../drizzle", import.meta.url)),
  migrationsTable: "local_engine_migrations",
};

/** Connects and brings the schema up to date. */
export async function openDatabase(option: DatabaseOption): Promise<OpenDatabase> {
  if (option !== "memory" && "postgres" in option) {
    await migratePostgres(drizzlePostgres(option.postgres), migrations);
    const { sql, close } = engineClient(option.postgres);
    return { db: drizzlePostgres(sql, { schema }), close };
  }
  const owned = option === "memory" ? new PGlite() : undefined;
  const client = owned ?? (option as { pglite: PGlite }).pglite;
  const db = drizzlePglite(client, { schema });
  await migratePglite(db, migrations);
  return { db, close: async () => owned?.close() };
}
