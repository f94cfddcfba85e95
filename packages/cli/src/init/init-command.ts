import type { Command } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import type { InitOptions } from "./init.js";

/** Adds `init`. */
export function addInitCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("init")
    .description(
      "Add a policy and a Countersign instance to an AgentKit project; never changes existing files",
    )
    .option("--cwd <folder>", "the project folder", ".")
    .option("--yes", "write the files without confirmation")
    .action(async (options: InitOptions) => {
      const { init } = await import("./init.js");
      done(await init(options, io));
    });
}
