import type { Command } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import type { SuggestCommandOptions } from "./suggest.js";

/** Adds `policy suggest`. */
export function addSuggestCommand(policy: Command, io: CliIo, done: (code: ExitCode) => void): void {
  policy
    .command("suggest")
    .description("Suggest rules, as a diff, for calls that people always approved or always denied")
    .argument("<files...>", "a policy file, or the defaults and the overrides")
    .option(
      "--calls <file>",
      "decided calls: one { tool, input, decision, decidedAt, ended?, id?, redact?, redactPatterns?, principal?, thread?, profile?, mcp?, effects?, reversible? } per line",
    )
    .option(
      "--database-url <url>",
      "or a Countersign database, postgres://……; default: the environment variable DATABASE_URL",
    )
    .option("--tenant <id>", "only calls of this tenant; default: all")
    .option("--at-least <calls>", "approved calls that a looser rule must come from", "20")
    .option("--at-least-denied <calls>", "denied calls that a stricter rule must come from", "5")
    .option("--since <time>", "ignore calls decided before this date, such as 2026-01-31; default: none")
    .option("--hold-out <time>", "test the suggestions on the calls of this last time", "30d")
    .option("--out <file>", "write the diff to a new file, for `patch -p0`")
    .option("--json", "write JSON")
    .action(async (files: string[], options: SuggestCommandOptions) => {
      const { suggest } = await import("./suggest.js");
      done(await suggest(files, options, io));
    });
}
