import { fileURLToPath } from "node:url";
import type { PGlite } from "@electric-sql/pglite";
import type { PgDatabase, PgQueryResultHKT } from "drizzle-orm/pg-core";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { migrate as migratePglite } from "drizzle-orm/pglite/migrator";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import { migrate as migratePostgres } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";
import { demoFolder } from "../demo-folder.js";

/** A connected client of either kind, shared by all parts of the demo. */
export type DatabaseClient = { pglite: PGlite } | { postgres: postgres.Sql };

export type DeskDatabase = PgDatabase<PgQueryResultHKT>;

const migrations = {
  migrationsFolder: fileURLToPath(new URL("../../drizzle/demo", demoFolder)),
  migrationsTable: "demo_migrations",
};

/** Migrates the desk's tables. */
export async function migratedDatabase(client: DatabaseClient): Promise<DeskDatabase> {
  if ("postgres" in client) {
    const db = drizzlePostgres(client.postgres);
    await migratePostgres(db, migrations);
    return db;
  }
  const db = drizzlePglite(client.pglite);
  await migratePglite(db, migrations);
  return db;
}
