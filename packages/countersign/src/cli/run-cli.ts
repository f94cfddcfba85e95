import { Command, CommanderError } from "commander";
import { addApprovalsCommands } from "./approvals/approvals-commands.js";
import { addAuditCommands } from "./audit/audit-commands.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";
import { addDeliveriesCommands } from "./deliveries/deliveries-commands.js";
import { addEvidenceCommands } from "./evidence/evidence-commands.js";
import { addInitCommand } from "./init/init-command.js";
import { addMigrateCommand } from "./migrate-command.js";
import { packageVersion } from "./package-version.js";
import { type CheckOptions, check } from "./policy/check.js";
import { type DiffOptions, diff } from "./policy/diff.js";
import { type ExplainOptions, explain } from "./policy/explain.js";
import { addSuggestCommand } from "./policy/suggest-command.js";
import { testCases } from "./policy/test-cases.js";
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
      "Check policies, migrate the database, decide approvals, verify the audit log, stop calls, send messages again, and remove old data",
    )
    .version(packageVersion(), "-V, --version", "print the version")
    .exitOverride()
    .configureOutput({ writeOut: (text) => io.out(text), writeErr: (text) => io.err(text) });
  const policy = program
    .command("policy")
    .description("Check, explain, test and compare policy files, and suggest changes");
  const files = "a policy file, or the defaults and the overrides";

  policy
    .command("check")
    .description("Validate policy files and report problems with their location")
    .argument("<files...>", files)
    .option(
      "--channels <names>",
      "names of your channels, separated by commas; rules that name others are problems",
    )
    .option(
      "--tools <names>",
      "comma-separated names of all tools, to find typos in rules and tools without a rule",
    )
    .option(
      "--mcp-server <names>",
      "comma-separated MCP servers; these have the tools <name>-… and <name>__…",
    )
    .option("--json", "write JSON")
    .action((paths: string[], options: CheckOptions) => {
      code = check(paths, options, io);
    });
  policy
    .command("explain")
    .description("Show the verdict for a call and every matching rule")
    .argument("<files...>", files)
    .requiredOption("--tool <name>", "the tool")
    .option("--input <json>", "the arguments as JSON, or @ and a JSON file")
    .option("--principal <json>", 'the requester: {"id": "ada", "roles": ["support"]}')
    .option("--thread <id>", "the thread")
    .option("--profile <name>", "the profile")
    .option("--mcp-server <name>", "the MCP server that has the tool")
    .option("--annotations <json>", 'what that server says of it: {"readOnlyHint": true}')
    .option("--effects <json>", 'what its preview says: [{"target": "order A-1", "count": 1}]')
    .option(
      "--reversible <time>",
      'whether it can be taken back: true, false or within a time, such as "30m"',
    )
    .option("--counted <json>", 'what limits over time counted: {"calls(\\"issue_refund\\", \\"1h\\")": 3}')
    .option("--json", "write JSON")
    .action((paths: string[], options: ExplainOptions) => {
      code = explain(paths, options, io);
    });
  policy
    .command("test")
    .description("Check that a policy gives the expected verdicts for test cases")
    .argument("<files...>", files)
    .requiredOption(
      "--cases <file>",
      "JSON or YAML: a list of { name?, tool, input?, principal?, thread?, profile?, mcp?, effects?, reversible?, counted?, expect }",
    )
    .option("--json", "write JSON")
    .action((paths: string[], options: { cases: string; json?: boolean }) => {
      code = testCases(paths, options, io);
    });
  policy
    .command("diff")
    .description("Replay past calls and report which would get a different verdict")
    .requiredOption("--live <files...>", files)
    .requiredOption("--candidate <files...>", files)
    .option(
      "--calls <file>",
      "calls to replay: one { tool, input, principal?, thread?, profile?, mcp?, effects?, reversible?, counted? } per line",
    )
    .option(
      "--database-url <url>",
      "or a Countersign database, postgres://……; default: the environment variable DATABASE_URL",
    )
    .option("--exit-code", "exit with code 1 if any verdict would change")
    .option("--json", "write JSON")
    .action(async (options: DiffOptions) => {
      code = await diff(options, io);
    });

  const done = (exit: ExitCode) => {
    code = exit;
  };
  addSuggestCommand(policy, io, done);
  addApprovalsCommands(program, io, done);
  addAuditCommands(program, io, done);
  addDeliveriesCommands(program, io, done);
  addEvidenceCommands(program, io, done);
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
