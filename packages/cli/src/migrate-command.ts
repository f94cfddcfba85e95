import type { Command } from "commander";
import type { CliIo, ExitCode } from "./cli-io.js";
import type { MigrateOptions } from "./migrate.js";
import { databaseOption } from "./with-store.js";

/** Adds `migrate`. */
export function addMigrateCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("migrate")
    .description("Apply all pending migrations in one transaction")
    .option(...databaseOption)
    .option("--sql", "print the migrations as SQL, for your own migration tool; needs no database")
    .option("--since <name>", "with --sql: only migrations after this one")
    .option("--json", "write JSON")
    .action(async (options: MigrateOptions) => {
      const { migrateDatabase } = await import("./migrate.js");
      done(await migrateDatabase(options, io));
    });
}
