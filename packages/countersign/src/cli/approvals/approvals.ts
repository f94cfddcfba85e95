import {
  type AnswerOf,
  ApprovalsApiError,
  type ApprovalsClient,
  ApprovalsConnectionError,
  type ApprovalView,
  createApprovalsClient,
} from "../../client.js";
import { overBudgetText } from "../../display/budget-text.js";
import { previewLines } from "../../display/effect-text.js";
import { visibleText } from "../../display/visible-text.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";

export interface ApprovalsOptions {
  url: string;
  json?: boolean | undefined;
}

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

async function withClient(
  { url }: ApprovalsOptions,
  io: CliIo,
  work: (approvals: ApprovalsClient) => Promise<ExitCode>,
): Promise<ExitCode> {
  const token = process.env.COUNTERSIGN_TOKEN;
  if (!token) {
    throw new UsageError("set COUNTERSIGN_TOKEN to an API token; tokens cannot be passed as options");
  }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw new UsageError("--url: must be the base URL of the API, such as https://desk.example.com/api");
  }
  try {
    return await work(createApprovalsClient({ baseUrl: url, token }));
  } catch (error) {
    if (error instanceof ApprovalsApiError) {
      const { code, message } = error;
      io.err(`${visibleText(message, 500)} (${visibleText(code, 100)})\n`);
      return exitCodes.failed;
    }
    if (error instanceof ApprovalsConnectionError || error instanceof TypeError) {
      throw new UsageError(`--url: no approvals API responds at ${new URL(url).origin}`);
    }
    throw error;
  }
}

function lineOf({ id, status, risk, toolName, summary, expiresAt }: ApprovalView): string {
  const until = status === "pending" && expiresAt ? `, expires ${expiresAt}` : "";
  return `${id} ${status} ${risk} ${visibleText(toolName, 120)}: ${visibleText(summary, 300)}${until}`;
}

/**
 * Formats an approval for the terminal. Escapes text from models and tools, so that it cannot send control sequences.
 */
function pageOf(approval: ApprovalView): string {
  const { redacted, redactedPatterns, flags, decision, input, preview, counts } = approval;
  const facts: [string, string | null][] = [
    ["agent", approval.agentName],
    ["requested by", approval.requesterId],
    ["risk", approval.risk],
    ["reason", approval.reason],
    ["budget", approval.overBudget && overBudgetText(approval.overBudget)],
    ...counts.map(({ text }): [string, string] => ["counted over time", text]),
    ["expires", approval.expiresAt],
    ["hidden from you", [...redacted, ...redactedPatterns].join(", ")],
    ["check closely", [...new Set(flags.map(({ path, kind }) => `${path} (${kind})`))].join(", ")],
    ["decided", decision && `${decision.type} by ${decision.decidedBy ?? "the policy"}`],
    ["you may", approval.yourDecisions.join(", ") || "not decide it"],
    ["digest", approval.digest],
  ];
  const lines = JSON.stringify(input, null, 2).split("\n");
  return [
    `${lineOf(approval)}\n`,
    ...facts.flatMap(([name, value]) => (value ? [`  ${name}: ${visibleText(value, 1_000)}\n`] : [])),
    "  arguments:\n",
    // Never truncate the arguments: people approve exactly what they see.
    ...lines.map(
      (line) => `    ${indentOf(line)}${visibleText(line.trimStart(), Number.POSITIVE_INFINITY)}\n`,
    ),
    ...(preview
      ? ["  what would change:\n", ...previewLines(preview, { whole: true }).map((line) => `    ${line}\n`)]
      : []),
  ].join("");
}

function indentOf(line: string): string {
  return " ".repeat(line.length - line.trimStart().length);
}

function stillNeeded({ status, stillNeeded: { approvals } }: ApprovalView): string {
  return status === "pending" && approvals > 0 ? `, ${approvals} more must approve` : "";
}
