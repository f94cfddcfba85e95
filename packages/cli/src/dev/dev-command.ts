import { type Command, InvalidArgumentError } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import type { DevOptions } from "./dev.js";

/** Adds `dev`. */
export function addDevCommand(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  program
    .command("dev")
    .description(
      "Run an app beside a local engine for its Inngest functions, with an inbox in which you may decide all calls; starts the app again when its files change",
    )
    .argument("<file>", "the app's module, in TypeScript or JavaScript")
    .option("--port <number>", "port of the inbox", port, 3300)
    .option("--engine-port <number>", "port of the local engine", port, 8288)
    .option("--functions <path>", "path at which the app serves its Inngest functions", "/api/inngest")
    .option("--as <id>", "your id in the inbox", "you")
    .option("--tenant <id>", "your tenant (default: that of the instance)")
    .option("--send <event>", 'an event to send once the app is ready: \'chat/asked {"message": "Hello"}\'')
    .action(async (file: string, options: Omit<DevOptions, "file">) => {
      const { dev } = await import("./dev.js");
      done(await dev({ file, ...options }, io));
    });
}

function port(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0 && value < 65_536) return value;
  throw new InvalidArgumentError("must be a port, such as 3300");
}
