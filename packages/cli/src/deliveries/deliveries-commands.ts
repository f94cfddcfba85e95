import { type Command, Option } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import { databaseOption } from "../with-store.js";
import type { DeliveryState, ListDeliveriesOptions, ReplayOptions } from "./deliveries.js";

/** Every state, in the order in which a message goes through them. */
const states = Object.keys({
  due: true,
  sent: true,
  failed: true,
  abandoned: true,
  skipped: true,
} satisfies Record<DeliveryState, true>);

const load = () => import("./deliveries.js");

/** Adds `deliveries list` and `deliveries replay`. */
export function addDeliveriesCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const deliveries = program
    .command("deliveries")
    .description("List the messages of channels, and send those again that were given up");

  deliveries
    .command("list")
    .description("List messages of channels, newest first")
    .option(...databaseOption)
    .option("--approval <id>", "only messages about this approval")
    .addOption(new Option("--state <state>", "only messages in this state").choices(states))
    .option("--tenant <id>", "only of this tenant; default: of all tenants")
    .option("--json", "write JSON lines")
    .action(async (options: ListDeliveriesOptions) => done(await (await load()).listDeliveries(options, io)));
  deliveries
    .command("replay")
    .description("Send messages again that were given up")
    .argument("<ids...>", "the messages' ids, as printed by `deliveries list`")
    .option(...databaseOption)
    .option("--tenant <id>", "only messages of this tenant; default: of any tenant")
    .option("--by <name>", "your name, for the audit log; default: your user name")
    .option("--json", "write JSON lines")
    .action(async (ids: string[], options: ReplayOptions) =>
      done(await (await load()).replayDeliveries(ids, options, io)),
    );
}
