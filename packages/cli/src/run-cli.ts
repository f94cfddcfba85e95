import { Command, CommanderError } from "commander";
import { addApprovalsCommands } from "./approvals/approvals-commands.js";
import { addAuditCommands } from "./audit/audit-commands.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";
import { addDeliveriesCommands } from "./deliveries/deliveries-commands.js";
import { addDevCommand } from "./dev/dev-command.js";
import { addEvidenceCommands } from "./evidence/evidence-commands.js";
import { addInitCommand } from "./init/init-command.js";
import { addMigrateCommand } from "./migrate-command.js";
import { packageVersion } from "./package-version.js";
import { addPolicyCommands } from "./policy/policy-commands.js";
import { addRestoredCommand } from "./restored-command.js";
import { addRetentionCommands } from "./retention/retention-commands.js";
import { addStopCommands } from "./stops/stop-commands.js";

/**
 * Runs a `countersign` command and returns its exit code: 0 for success; 1 for problems, failed cases, a broken log,
 * an unknown stop, or changes with `diff --exit-code`; 2 for invalid usage.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok;
  const program = new Command("countersign")
    .description(
      "Run an app in development, check policies, migrate the database, decide approvals, verify the audit log, stop calls, send messages again, and remove old data",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) });
  const done = (exit: ExitCode) => {
    code = exit;
  };
  addPolicyCommands(program, io, done);
  addApprovalsCommands(program, io, done);
  addAuditCommands(program, io, done);
  addDeliveriesCommands(program, io, done);
  addEvidenceCommands(program, io, done);
  addDevCommand(program, io, done);
  addInitCommand(program, io, done);
  addMigrateCommand(program, io, done);
  addStopCommands(program, io, done);
  addRetentionCommands(program, io, done);
  addRestoredCommand(program, io, done);

  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    if (!(error instanceof UsageError)) throw error;
    io.err(`error: ${error.message}\n`);
    return exitCodes.usage;
  }
}
