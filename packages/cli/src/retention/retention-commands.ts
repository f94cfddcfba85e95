import type { Command } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import { databaseOption } from "../with-store.js";
import type { ForgetCommandOptions, PruneCommandOptions } from "./retention.js";

const load = () => import("./retention.js");

/** Adds `prune` and `forget`. */
export function addRetentionCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const by = ["--by <name>", "your name, for the audit log; default: your user name"] as const;

  program
    .command("prune")
    .description("Remove old, finished data in small batches; pending and running calls are kept")
    .option(...databaseOption)
    .option("--older-than <age>", "minimum age of everything except the audit log, such as 180d")
    .option("--requests <age>", "minimum age of requests with their approvals and votes")
    .option("--threads <age>", "minimum age of threads with their messages")
    .option("--grants <age>", "minimum age of expired grants")
    .option("--proofs <age>", "minimum age of expired evidence")
    .option("--stops <age>", "minimum age of released stops; at least 30d")
    .option("--audit <age>", "minimum age of audit entries, which are sealed first; at least 30d")
    .option("--archive <folder>", "write audit entries to files in this folder before removing them")
    .option(
      "--signing-key-env <name>",
      "environment variable with the key that signs sealed segments: a secret, or the option signingKey as JSON",
    )
    .option("--tenant <id>", "only this tenant; default: all")
    .option("--batch-size <rows>", "rows per transaction", "500")
    .option("--dry-run", "only print what would be removed")
    .option(...by)
    .option("--json", "write JSON")
    .action(async (options: PruneCommandOptions) => done(await (await load()).pruneData(options, io)));
  program
    .command("forget")
    .description("Remove a person's data, except data that pending calls need, and print what is kept")
    .option(...databaseOption)
    .requiredOption("--tenant <id>", "the person's tenant")
    .requiredOption("--person <id>", "the person's id in sessions and runs")
    .option(...by)
    .option("--json", "write JSON")
    .action(async (options: ForgetCommandOptions) => done(await (await load()).forgetData(options, io)));
}
