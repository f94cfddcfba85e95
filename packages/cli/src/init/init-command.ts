import { type Command, Option } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import type { InitOptions } from "./init.js";

/** Adds `init`. */
export function addInitCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("init")
    .description(
      "Add Countersign to a project: an instance, a policy for its tools, routes or a server, and a test; never changes existing files",
    )
    .option("--cwd <folder>", "the project folder", ".")
    .addOption(new Option("--hono", "serve with Hono (default without next)").conflicts("next"))
    .option("--next", "serve with Next.js (default with next)")
    .addOption(new Option("--agent-kit", "agents of AgentKit (default with it)").conflicts(["aiSdk", "loop"]))
    .addOption(new Option("--ai-sdk", "agents of the AI SDK (default with ai)").conflicts("loop"))
    .option("--loop", "a loop of your own (default without both)")
    .option("--yes", "write the files without confirmation")
    .action(async (options: InitOptions) => {
      const { init } = await import("./init.js");
      done(await init(options, io));
    });
}
