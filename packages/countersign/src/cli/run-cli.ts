import { Command, CommanderError } from "commander";
import { addAuditCommands } from "./audit-commands.js";
import { type CheckOptions, check } from "./check.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";
import { type DiffOptions, diff } from "./diff.js";
import { type ExplainOptions, explain } from "./explain.js";
import { testCases } from "./test-cases.js";

/**
 * Runs one command of `countersign` and gives its exit code: 0 when all is fine, 1 for problems, failed cases, a broken log and
 * (`diff --exit-code`) changes, 2 when it was called in a way that means nothing.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = exitCodes.fine;
  const program = new Command("countersign")
    .description("Checks and rehearses the policies of Countersign, and verifies its audit log")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) });
  const policy = program.command("policy").description("Commands about policy files");
  const files = "one policy file, or the defaults and the overrides";

  policy
    .command("check")
    .description("Say whether files are a policy, or what is wrong with them and where")
    .argument("<files...>", files)
    .option("--tools <names>", "names of all tools, with commas, to find typing errors in rules")
    .option("--json", "write JSON")
    .action((paths: string[], options: CheckOptions) => {
      code = check(paths, options, io);
    });
  policy
    .command("explain")
    .description("Give the verdict about one call, with every rule that matched")
    .argument("<files...>", files)
    .requiredOption("--tool <name>", "the tool")
    .option("--input <json>", "its arguments, or @ and a file with them")
    .option("--principal <json>", 'who asked the agent: {"id": "ada", "roles": ["support"]}')
    .option("--thread <id>", "the thread")
    .option("--profile <name>", "the profile")
    .option("--json", "write JSON")
    .action((paths: string[], options: ExplainOptions) => {
      code = explain(paths, options, io);
    });
  policy
    .command("test")
    .description("Say whether files give the verdicts that cases expect")
    .argument("<files...>", files)
    .requiredOption(
      "--cases <file>",
      "JSON or YAML: a list of { name?, tool, input?, principal?, thread?, profile?, expect }",
    )
    .option("--json", "write JSON")
    .action((paths: string[], options: { cases: string; json?: boolean }) => {
      code = testCases(paths, options, io);
    });
  policy
    .command("diff")
    .description("Replay calls that were made, and say about which a candidate would decide otherwise")
    .requiredOption("--live <files...>", files)
    .requiredOption("--candidate <files...>", files)
    .option("--calls <file>", "calls to replay: one { tool, input, principal?, thread?, profile? } a line")
    .option("--database-url <url>", "or a database of Countersign, postgres://…")
    .option("--exit-code", "exit with 1 when anything would change")
    .option("--json", "write JSON")
    .action(async (options: DiffOptions) => {
      code = await diff(options, io);
    });

  addAuditCommands(program, io, (exit) => {
    code = exit;
  });

  try {
    await program.parseAsync([...argv], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage;
    if (!(error instanceof UsageError)) throw error;
    io.err(`error: ${error.message}\n`);
    return exitCodes.usage;
  }
}
