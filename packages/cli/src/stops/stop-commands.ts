import type { Command } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import { databaseOption } from "../with-store.js";
import type { ListStopsOptions, ReleaseOptions, StopOptions } from "./stops.js";

const load = () => import("./stops.js");

/** Adds `stop`, `release` and `stops`. */
export function addStopCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const by = ["--by <name>", "your name, for the audit log; default: your user name"] as const;

  program
    .command("stop")
    .description("Stop calls of all or some tools before they start; for ALL TENANTS unless --tenant is set")
    .option(...databaseOption)
    .requiredOption("--reason <text>", "why, for people; 1 to 500 characters")
    .option("--tenant <id>", "only this tenant")
    .option("--tool <glob>", "exact name or glob of the tools, as in policies", "*")
    .option(...by)
    .option("--json", "write JSON")
    .action(async (options: StopOptions) => done(await (await load()).stopCalls(options, io)));
  program
    .command("release")
    .description("Release a stop, so that calls can start again")
    .argument("<id>", "the stop's id, as printed by `stop` and `stops`")
    .option(...databaseOption)
    .requiredOption("--reason <text>", "why, for people; 1 to 500 characters")
    .option(...by)
    .option("--json", "write JSON")
    .action(async (id: string, options: ReleaseOptions) =>
      done(await (await load()).releaseStop(id, options, io)),
    );
  program
    .command("stops")
    .description("List stops, newest first")
    .option(...databaseOption)
    .option("--tenant <id>", "stops that apply to this tenant; default: all stops")
    .option("--all", "include released stops")
    .option("--json", "write JSON lines")
    .action(async (options: ListStopsOptions) => done(await (await load()).listStops(options, io)));
}
