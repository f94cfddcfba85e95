import type { AnswerOf, ApprovalsClient, ApprovalView } from "countersign/client";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";
import { lineOf, pageOf } from "./approval-page.js";
import { type ApprovalsOptions, withClient } from "./with-client.js";

export interface ListOptions extends ApprovalsOptions {
  status: string;
}

export interface DecideOptions extends ApprovalsOptions {
  digest?: string | undefined;
  reason?: string | undefined;
}

/** `approvals list`: lists approvals that the token's principal may see. */
export function listApprovals(options: ListOptions, io: CliIo): Promise<ExitCode> {
  return withClient(options, io, async (approvals) => {
    let cursor: string | null | undefined;
    let found = 0;
    do {
      const page: AnswerOf<"listApprovals"> = await approvals.listApprovals({
        query: { status: options.status, ...(cursor ? { cursor } : {}) },
      });
      for (const approval of page.items) {
        io.out(options.json ? `${JSON.stringify(approval)}\n` : `${lineOf(approval)}\n`);
      }
      found += page.items.length;
      cursor = page.nextCursor;
    } while (cursor);
    if (found === 0 && !options.json) io.out(`No approvals with status ${options.status}.\n`);
    return exitCodes.ok;
  });
}

/** `approvals show`: shows an approval with its arguments and digest. */
export function showApproval(id: string, options: ApprovalsOptions, io: CliIo): Promise<ExitCode> {
  return withClient(options, io, async (approvals) => {
    const approval = await approvals.getApproval({ id });
    io.out(options.json ? `${JSON.stringify(approval, null, 2)}\n` : pageOf(approval));
    return exitCodes.ok;
  });
}

/** `approvals approve` and `approvals deny`: decide a call, shown and confirmed here or identified by its digest. */
export function decideApproval(
  type: "approve" | "deny",
  id: string,
  options: DecideOptions,
  io: CliIo,
): Promise<ExitCode> {
  return withClient(options, io, async (approvals) => {
    const digest = options.digest ?? (await confirmedDigest(approvals, type, id, io));
    if (digest === undefined) {
      io.err("No decision was recorded.\n");
      return exitCodes.failed;
    }
    const { reason } = options;
    const decided = await approvals.decide({
      id,
      body: { type, digest, ...(reason === undefined ? {} : { reason }) },
    });
    if (options.json) io.out(`${JSON.stringify(decided, null, 2)}\n`);
    else io.out(`${decided.id}: ${decided.status}${stillNeeded(decided)}\n`);
    return exitCodes.ok;
  });
}

/** Shows the call and returns its digest if the person confirms. */
async function confirmedDigest(
  approvals: ApprovalsClient,
  type: "approve" | "deny",
  id: string,
  io: CliIo,
): Promise<string | undefined> {
  if (!io.ask) {
    throw new UsageError(
      `--digest: is required when there is no terminal; "countersign approvals show ${id}" prints the digest`,
    );
  }
  const approval = await approvals.getApproval({ id });
  io.err(pageOf(approval));
  const answer = await io.ask(`${type === "approve" ? "Approve" : "Deny"} this call? Type "yes": `);
  return answer.trim() === "yes" ? approval.digest : undefined;
}

function stillNeeded({ status, stillNeeded: { approvals } }: ApprovalView): string {
  return status === "pending" && approvals > 0 ? `, ${approvals} more must approve` : "";
}
