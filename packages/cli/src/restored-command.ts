import type { Command } from "commander";
import { actorName } from "./audit/actor.js";
import { type CliIo, type ExitCode, exitCodes } from "./cli-io.js";
import { databaseOption, withStore } from "./with-store.js";

interface RestoredOptions {
  databaseUrl?: string;
  by?: string;
  engine?: boolean;
  json?: boolean;
}

/** Adds `restored`. */
export function addRestoredCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("restored")
    .description(
      "After the database was restored from a backup: withdraw approved calls without a run, and have the engine's runs checked",
    )
    .option(...databaseOption)
    .option("--by <name>", "your name, for the audit log; default: your user name")
    .option("--engine", "only the engine was restored: withdraw nothing now")
    .option("--json", "write JSON")
    .action(async (options: RestoredOptions) => done(await afterRestore(options, io)));
}

async function afterRestore(options: RestoredOptions, io: CliIo): Promise<ExitCode> {
  const by = actorName(options);
  return withStore(options.databaseUrl, "not everything was withdrawn", async (store) => {
    let withdrawn = 0;
    for (const tenantId of options.engine ? [] : await store.auditedTenants()) {
      withdrawn += await store.withdrawRestored(tenantId, by);
    }
    await store.forgetCanaries();
    if (options.json) io.out(`${JSON.stringify({ withdrawn })}\n`);
    else {
      if (!options.engine) io.out(`Withdrawn: ${withdrawn} approved calls without a run\n`);
      io.out("Calls whose run the engine does not have will be withdrawn once the application runs\n");
    }
    return exitCodes.ok;
  });
}
