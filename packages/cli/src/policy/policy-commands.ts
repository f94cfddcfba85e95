import type { Command } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import type { CheckOptions } from "./check.js";
import type { DiffOptions } from "./diff.js";
import type { ExplainOptions } from "./explain.js";
import { addSuggestCommand } from "./suggest-command.js";

const files = "a policy file, or the defaults and the overrides";

/** Adds `policy check`, `explain`, `test`, `diff` and `suggest`. */
export function addPolicyCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const policy = program
    .command("policy")
    .description("Check, explain, test and compare policy files, and suggest changes");

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
    .action(async (paths: string[], options: CheckOptions) => {
      const { check } = await import("./check.js");
      done(check(paths, options, io));
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
    .action(async (paths: string[], options: ExplainOptions) => {
      const { explain } = await import("./explain.js");
      done(explain(paths, options, io));
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
    .action(async (paths: string[], options: { cases: string; json?: boolean }) => {
      const { testCases } = await import("./test-cases.js");
      done(testCases(paths, options, io));
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
      const { diff } = await import("./diff.js");
      done(await diff(options, io));
    });
  addSuggestCommand(policy, io, done);
}
