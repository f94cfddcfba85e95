import { migrationSql } from "countersign/internal";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";
import { withStore } from "./with-store.js";

export interface MigrateOptions {
  databaseUrl?: string;
  sql?: boolean;
  since?: string;
  json?: boolean;
}

/** `migrate`: applies all pending migrations, or prints their SQL. */
export async function migrateDatabase(
  { databaseUrl, sql, since, json = false }: MigrateOptions,
  io: CliIo,
): Promise<ExitCode> {
  if (sql) {
    const text = migrationSql(since);
    if (text === undefined) throw new UsageError(`--since: unknown migration ${JSON.stringify(since)}`);
    io.out(text);
    return exitCodes.ok;
  }
  if (since !== undefined) throw new UsageError("--since: requires --sql");
  return withStore(databaseUrl, "nothing was migrated", async (store) => {
    const applied = await store.migrate({
      onMigration: (name) => {
        if (!json) io.err(`applying ${name}\n`);
      },
    });
    if (json) io.out(`${JSON.stringify({ applied })}\n`);
    else if (applied.length === 0) io.out("No pending migrations: the database is up to date.\n");
    else io.out(`Applied ${applied.length} migrations; the database is up to date.\n`);
    return exitCodes.ok;
  });
}
