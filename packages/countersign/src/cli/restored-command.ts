import type { Command } from "commander";
import { actorName } from "./audit/actor.js";
import { type CliIo, type ExitCode, exitCodes } from "./cli-io.js";
import { databaseOption, withStore } from "./with-store.js";

interface RestoredOptions {
  databaseUrl?: string;
  by?: string;
  json?: boolean;
}

/** Adds `restored`. */
export function addRestoredCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("restored")
    .description("Withdraw approved calls without a run, after the database was restored from a backup")
    .option(...databaseOption)
    .option("--by <name>", "your name, for the audit log; default: your user name")
    .option("--json", "write JSON")
    .action(async (options: RestoredOptions) => done(await afterRestore(options, io)));
}

async function afterRestore(options: RestoredOptions, io: CliIo): Promise<ExitCode> {
  const by = actorName(options);
  return withStore(options.databaseUrl, "not everything was withdrawn", async (store) => {
    let withdrawn = 0;
    for (const tenantId of await store.auditedTenants()) {
      withdrawn += await store.withdrawRestored(tenantId, by);
    }
    if (options.json) io.out(`${JSON.stringify({ withdrawn })}\n`);
    else io.out(`Withdrawn: ${withdrawn} approved calls without a run\n`);
    return exitCodes.ok;
  });
}
