import { type Command, Option } from "commander";
import type { CliIo, ExitCode } from "../cli-io.js";
import type { DecideOptions, ListOptions } from "./approvals.js";
import type { UndoOptions } from "./undo-approvals.js";
import type { ApprovalsOptions } from "./with-client.js";

const load = () => import("./approvals.js");

/** Adds `approvals list`, `show`, `approve`, `deny` and `undo`. */
export function addApprovalsCommands(program: Command, io: CliIo, done: (code: ExitCode) => void): void {
  const approvals = program
    .command("approvals")
    .description(
      "List and decide approvals through the API, as the principal of the token in COUNTERSIGN_TOKEN",
    );
  const overHttp = (command: Command) =>
    command
      .addOption(
        new Option("--url <url>", "base URL of the API, such as https://desk.example.com/api").env(
          "COUNTERSIGN_URL",
        ),
      )
      .option("--json", "write JSON");

  overHttp(approvals.command("list"))
    .description("List the approvals that you may decide or requested")
    .option("--status <status>", "filter by status", "pending")
    .action(async (options: ListOptions) => done(await (await load()).listApprovals(options, io)));
  overHttp(approvals.command("show"))
    .description("Show an approval with its arguments and digest")
    .argument("<id>", "the approval")
    .action(async (id: string, options: ApprovalsOptions) =>
      done(await (await load()).showApproval(id, options, io)),
    );
  for (const type of ["approve", "deny"] as const) {
    overHttp(approvals.command(type))
      .description(
        `${type === "approve" ? "Approve" : "Deny"} a call after showing it and asking for confirmation, or directly with --digest`,
      )
      .argument("<id>", "the approval")
      .option("--digest <digest>", "the digest that `show` printed; skips the confirmation")
      .option("--reason <text>", "why; the agent reads the reason of a denial")
      .action(async (id: string, options: DecideOptions) =>
        done(await (await load()).decideApproval(type, id, options, io)),
      );
  }
  overHttp(approvals.command("undo"))
    .description(
      "Undo calls that have run, the latest first, after showing them and asking for confirmation, or directly with --digest",
    )
    .argument("<ids...>", "the approvals")
    .option("--digest <digests...>", "the digests that `show` printed, one for each; skips the confirmation")
    .option("--reason <text>", "why, for the audit log")
    .action(async (ids: string[], options: UndoOptions) => {
      const { undoApprovals } = await import("./undo-approvals.js");
      done(await undoApprovals(ids, options, io));
    });
}
