import type { Command } from "commander";
import { migrationSql } from "../store/migrations/migrations.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";
import { databaseOption, withStore } from "./with-store.js";

interface MigrateCommandOptions {
  databaseUrl?: string;
  sql?: boolean;
  since?: string;
  json?: boolean;
}

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("migrate")
    .description("Apply all pending migrations in one transaction")
    .option(...databaseOption)
    .option("--sql", "print the migrations as SQL, for your own migration tool; needs no database")
    .option("--since <name>", "with --sql: only migrations after this one")
    .option("--json", "write JSON")
    .action(async (options: MigrateCommandOptions) => done(await migrateDatabase(options, io)));
}

async function migrateDatabase(
  { databaseUrl, sql, since, json = false }: MigrateCommandOptions,
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
