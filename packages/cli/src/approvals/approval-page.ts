import { overBudgetText } from "@countersign/policy/internal/display/budget-text";
import { previewLines } from "@countersign/policy/internal/display/effect-text";
import { visibleText } from "@countersign/policy/internal/display/visible-text";
import type { ApprovalView } from "countersign/client";

/** Formats an approval as one line. */
export function lineOf({ id, status, risk, label, toolName, summary, expiresAt }: ApprovalView): string {
  const until = status === "pending" && expiresAt ? `, expires ${expiresAt}` : "";
  return `${id} ${status} ${risk} ${visibleText(label ?? toolName, 120)}: ${visibleText(summary, 300)}${until}`;
}

/**
 * Formats an approval with its arguments. Escapes text from models and tools, so that it cannot send control sequences.
 */
export function pageOf(approval: ApprovalView): string {
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
    ["undoes", approval.undoes],
    ["undo", undoText(approval)],
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

/** Whether and until when the call can be taken back. */
function undoText({ undo, status }: ApprovalView): string | null {
  if (!undo) return null;
  const { undoneAt, undoId, until, within } = undo;
  if (undoneAt !== null) return `undone at ${undoneAt} by ${undoId}`;
  if (status === "executed" && until !== null) return `possible until ${until}`;
  return within === null
    ? "possible at any time after it has run"
    : `possible within ${within} after it has run`;
}

function indentOf(line: string): string {
  return " ".repeat(line.length - line.trimStart().length);
}
