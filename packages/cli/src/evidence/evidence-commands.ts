import { type Command, Option } from "commander";
import { type ConfirmationChannelPlan, confirmationChannelPlan } from "countersign/evidence";
import { type CliIo, type ExitCode, exitCodes } from "../cli-io.js";

/** Adds `evidence channels`. */
export function addEvidenceCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const evidence = program.command("evidence").description("Show how confirmations become evidence");

  evidence
    .command("channels")
    .description("Show which channels of operators' confirmations are in force, and what each authorizes")
    .addOption(
      new Option("--mode <mode>", "the mode of operatorConfirmations()")
        .choices(["report-only", "authorizing"])
        .default("report-only"),
    )
    .option("--json", "write JSON")
    .action(({ mode, json }: Pick<ConfirmationChannelPlan, "mode"> & { json?: boolean }) => {
      const plan = confirmationChannelPlan({ mode });
      io.out(json ? `${JSON.stringify(plan)}\n` : plan.channels.map(linesOf).join(""));
      done(exitCodes.ok);
    });
}

function linesOf(channel: ConfirmationChannelPlan["channels"][number]): string {
  const { status, why, dispatchAllowed, canOverrideMonitorBlock, authorization } = channel;
  const permits = `dispatchAllowed=${dispatchAllowed} canOverrideMonitorBlock=${canOverrideMonitorBlock} authorization=${authorization}`;
  return `${channel.channel}: ${status}\n  ${permits}\n  ${why}\n`;
}
