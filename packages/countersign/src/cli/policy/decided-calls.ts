import { z } from "zod";
import type { Approval, PolicyContext } from "../../approval/approval.js";
import type { ApprovalStatus } from "../../approval/status.js";
import { countedOf } from "../../counting/call-counts.js";
import type { WithdrawalCause } from "../../display/withdrawal-text.js";
import { previewFacts } from "../../policy/preview-facts.js";
import { type DecisionType, decisionTypes } from "../../policy/rules/rule.js";
import type { DecidedCall, DecidedOutcome } from "../../policy/suggestions/decided-call.js";
import { type DatabaseSource, rowsOfDatabase } from "./database-calls.js";
import { callOf, linesOfFile, pastCallFields } from "./past-calls.js";

interface Row {
  id: string;
  tool_name: string;
  input_json: string;
  thread_id: string | null;
  policy_context: PolicyContext;
  verdict: Approval["verdict"];
  risk: Approval["risk"];
  terms: Approval["terms"];
  status: ApprovalStatus;
  withdrawal_cause: WithdrawalCause | null;
  decision_type: DecisionType;
  decided_at: Date;
  denied_by_one: boolean;
  undo_id: string | null;
}

/**
 * Reads the calls that people decided from a database, oldest first. Calls whose outcome is not known yet, undos, and calls
 * that nobody decided are left out; but not those that somebody wanted to undo, which is a decision too.
 * @throws UsageError if the database cannot be read. The message contains neither the URL nor personal data.
 */
export async function* decidedInDatabase(
  database: DatabaseSource,
  { tenant }: { tenant: string | undefined },
): AsyncGenerator<DecidedCall> {
  const rows = rowsOfDatabase(
    database,
    (sql) => sql<Row[]>`
      select id, tool_name, input_json, thread_id, policy_context, verdict, risk, terms, status, withdrawal_cause,
        decision_type, decided_at,
        exists (select from countersign.votes where approval_id = approvals.id and type = 'deny') as denied_by_one,
        undo_id
      from countersign.approvals
      where decided_at is not null and (undo_id is not null or decided_by is not null and grant_id is null)
        and terms->>'undoes' is null
        and (${tenant ?? null}::text is null or tenant_id = ${tenant ?? null})
      order by decided_at, id`,
  );
  for await (const row of rows) {
    const outcome = outcomeOf(row);
    if (!outcome) continue;
    const { principal, profile, mcp } = row.policy_context;
    const { quorum, requesterMayNotApprove, redact, redactPatterns, preview = null, counts = [] } = row.terms;
    yield {
      ...{ id: row.id, outcome, decidedAt: row.decided_at, verdict: row.verdict },
      call: {
        toolName: row.tool_name,
        input: JSON.parse(row.input_json),
        principal,
        thread: row.thread_id === null ? null : { id: row.thread_id },
        profile: profile ?? undefined,
        mcp: mcp ?? undefined,
        ...previewFacts(preview),
        counted: countedOf(counts),
      },
      terms: { risk: row.risk, quorum, requesterMayNotApprove, redact, redactPatterns },
      hasPreview: preview !== null,
    };
  }
}

/** What became of the call; `undefined` if it is not known yet, or says nothing about the call. */
function outcomeOf(row: Row): DecidedOutcome | undefined {
  const { decision_type: decision, status, withdrawal_cause: cause, terms } = row;
  if (decision !== "approve") return outcomesOfOthers[decision];
  if (status === "failed" || status === "interrupted") return status;
  if (status === "withdrawn") {
    return cause === "check_failed" || cause === "effects_changed" ? "doubted" : undefined;
  }
  if (status !== "executed") return undefined;
  if (row.undo_id !== null) return "undone";
  const { checks = [] } = terms;
  return row.denied_by_one || checks.some(({ ok }) => !ok) ? "doubted" : "approved";
}

const outcomesOfOthers = { deny: "denied", edit: "edited", respond: "answered" } as const;

const lineSchema = z.strictObject({
  ...pastCallFields,
  id: z.string().min(1).optional(),
  decision: z.enum(decisionTypes),
  decidedAt: z.iso.datetime({ offset: true }),
  /** How an approved call ended, or that it was undone afterwards. */
  ended: z.enum(["executed", "failed", "interrupted", "undone"]).default("executed"),
  redact: z.array(z.string().min(1)).default([]),
  redactPatterns: z.array(z.string().min(1)).default([]),
});

/**
 * Reads decided calls from a file with one JSON object per line.
 * @throws UsageError naming file and line.
 */
export async function* decidedInFile(file: string): AsyncGenerator<DecidedCall> {
  for await (const { at, line } of linesOfFile(file, lineSchema)) {
    const { id = at, decision, decidedAt, ended, redact, redactPatterns, ...past } = line;
    const approved = ended === "executed" ? "approved" : ended;
    yield {
      ...{ id, call: callOf(past), decidedAt: new Date(decidedAt), verdict: "ask" },
      outcome: decision === "approve" ? approved : outcomesOfOthers[decision],
      terms: { risk: "medium", quorum: 1, requesterMayNotApprove: false, redact, redactPatterns },
      hasPreview: past.effects !== undefined,
    };
  }
}
