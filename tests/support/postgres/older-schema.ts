import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drizzle } from "drizzle-orm/postgres-js";
import { migrate } from "drizzle-orm/postgres-js/migrator";
import type postgres from "postgres";

const folder = fileURLToPath(new URL("../../../drizzle/countersign", import.meta.url));
const journal = JSON.parse(readFileSync(join(folder, "meta", "_journal.json"), "utf8"));

/** How many migrations there are. */
export const migrationCount: number = journal.entries.length;

/** Brings a database to where it stood with the first migrations only. */
export async function migrateTo(count: number, client: postgres.Sql): Promise<void> {
  const copy = mkdtempSync(join(tmpdir(), "countersign-migrations-"));
  try {
    cpSync(folder, copy, { recursive: true });
    const entries = journal.entries.slice(0, count);
    writeFileSync(join(copy, "meta", "_journal.json"), JSON.stringify({ ...journal, entries }));
    await migrate(drizzle({ client }), { migrationsFolder: copy, migrationsTable: "countersign_migrations" });
  } finally {
    rmSync(copy, { recursive: true });
  }
}
