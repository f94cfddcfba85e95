import { fileURLToPath } from "node:url";
import { sql } from "drizzle-orm";
import { readMigrationFiles } from "drizzle-orm/migrator";
import type { Session } from "./database.js";

/** Where the package keeps its migrations; the same from `src/store` and `dist/store`. */
export function migrationConfig() {
  return {
    migrationsFolder: fileURLToPath(new URL("../../drizzle", import.meta.url)),
    migrationsTable: "countersign_migrations",
  };
}

/** Whether the newest migration of this version is among those that the database has. */
export async function isMigrated({ db }: Session): Promise<boolean> {
  const newest = Math.max(...readMigrationFiles(migrationConfig()).map(({ folderMillis }) => folderMillis));
  const journal = "drizzle.countersign_migrations";
  const [found] = await db
    .select({ exists: sql<boolean>`to_regclass(${journal}) is not null` })
    .from(sql`(select 1) as one`);
  if (!found?.exists) return false;
  const [last] = await db
    .select({ at: sql<string | null>`max(created_at)::text` })
    .from(sql`drizzle.countersign_migrations`);
  return Number(last?.at ?? 0) >= newest;
}
