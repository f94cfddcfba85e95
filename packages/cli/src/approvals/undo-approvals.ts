import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { AnswerOf, ApprovalsClient } from "countersign/client";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { pageOf } from "./approval-page.js";
import { type ApprovalsOptions, withClient } from "./with-client.js";

export interface UndoOptions extends ApprovalsOptions {
  digest?: string[] | undefined;
  reason?: string | undefined;
}

/** `approvals undo`: takes calls back, shown and confirmed here or identified by their digests. Fails if one stays as it is. */
export function undoApprovals(ids: string[], options: UndoOptions, io: CliIo): Promise<ExitCode> {
  const { digest: digests, reason, json } = options;
  if (digests && digests.length !== ids.length) {
    throw new UsageError(
      `--digest: there are ${ids.length} approvals and ${digests.length} digests; give one for each, in their order`,
    );
  }
  return withClient(options, io, async (approvals) => {
    const shown = digests ?? (await confirmedDigests(approvals, ids, io));
    if (!shown) {
      io.err("Nothing was undone.\n");
      return exitCodes.failed;
    }
    const items = ids.map((id, at) => ({ id, digest: shown[at] ?? "" }));
    const { results } = await approvals.undoMany({
      body: { items, ...(reason === undefined ? {} : { reason }) },
    });
    for (const result of results) io.out(json ? `${JSON.stringify(result)}\n` : lineOf(result));
    const stays = results.some((result) => !result.ok || result.approval.status === "denied");
    return stays ? exitCodes.failed : exitCodes.ok;
  });
}

/** Shows the calls and returns their digests if the person confirms. */
async function confirmedDigests(
  approvals: ApprovalsClient,
  ids: readonly string[],
  io: CliIo,
): Promise<string[] | undefined> {
  if (!io.ask) {
    throw new UsageError(
      '--digest: is required for each approval when there is no terminal; "countersign approvals show" prints it',
    );
  }
  const digests: string[] = [];
  for (const id of ids) {
    const approval = await approvals.getApproval({ id });
    io.err(pageOf(approval));
    digests.push(approval.digest);
  }
  const what = ids.length === 1 ? "this call" : `these ${ids.length} calls, the latest first`;
  const answer = await io.ask(`Undo ${what}? Type "yes": `);
  return answer.trim() === "yes" ? digests : undefined;
}

function lineOf(result: AnswerOf<"undoMany">["results"][number]): string {
  if (result.ok) return `${result.id}: undo ${result.approval.id} ${result.approval.status}\n`;
  const { detail, code } = result.problem;
  return `${visibleText(result.id, 200)}: left. ${visibleText(detail, 500)} (${code})\n`;
}
