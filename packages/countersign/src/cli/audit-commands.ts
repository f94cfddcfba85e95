import type { Command } from "commander";
import { type AuditOptions, exportAudits, type VerifyOptions, verifyAudits } from "./audit.js";
import type { CliIo, ExitCode } from "./cli-io.js";

/** Adds `audit verify` and `audit export`. */
export function addAuditCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const audit = program.command("audit").description("Commands about the audit log");
  const database = ["--database-url <url>", "a database of Countersign, postgres://…"] as const;

  audit
    .command("verify")
    .description("Say whether the log is what was written, or name the first entry that is not")
    .requiredOption(...database)
    .option("--tenant <id>", "one tenant; otherwise all, one line each")
    .option("--anchor <head>", "a head that was noted earlier, POSITION:HASH, to find a log written anew")
    .option("--json", "write JSON lines")
    .action(async (options: VerifyOptions) => done(await verifyAudits(options, io)));
  audit
    .command("export")
    .description("Write the log to standard output")
    .requiredOption(...database)
    .option("--tenant <id>", "one tenant; otherwise all, one after the other")
    .option("--format <format>", "jsonl or csv", "jsonl")
    .action(async (options: AuditOptions & { format: string }) => done(await exportAudits(options, io)));
}
