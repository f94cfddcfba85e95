import type { Command } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import { databaseOption } from "../with-store.js";
import type { AuditOptions, ShowOptions, VerifyOptions } from "./audit.js";

const load = () => import("./audit.js");

/** Adds `audit verify`, `audit show` and `audit export`. */
export function addAuditCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const audit = program.command("audit").description("Verify, show and export the audit log");

  audit
    .command("verify")
    .description(
      "Verify the hash chain of the audit log and the rows it describes, and report the first problem",
    )
    .option(...databaseOption)
    .option("--file <path>", "verify a file instead: JSON lines from `audit export` or `prune --archive`")
    .option("--tenant <id>", "only this tenant; default: all, one line each")
    .option("--anchor <head>", "a head printed earlier, as POSITION:HASH, to detect a rewritten log")
    .option(
      "--heads <file>",
      "heads of all tenants, saved earlier with `audit verify --json`, to detect rewritten and removed logs",
    )
    .option(
      "--signing-key-env <name>",
      "environment variable with the signing keys of sealed segments: a secret, or the option signingKey as JSON",
    )
    .option("--json", "write JSON lines")
    .action(async (options: VerifyOptions) => done(await (await load()).verifyAudits(options, io)));
  audit
    .command("show")
    .description("Show the audit trail of an approval")
    .argument("<id>", "the approval")
    .option(...databaseOption)
    .option("--tenant <id>", "the approval's tenant; default: search all")
    .option("--json", "write JSON lines")
    .action(async (id: string, options: ShowOptions) =>
      done(await (await load()).showAudit(id, options, io)),
    );
  audit
    .command("export")
    .description("Write the audit log to standard output")
    .option(...databaseOption)
    .option("--tenant <id>", "only this tenant; default: all, one after another")
    .option("--format <format>", "output format: jsonl or csv", "jsonl")
    .action(async (options: AuditOptions & { format: string }) =>
      done(await (await load()).exportAudits(options, io)),
    );
}
