import { decisionTypes } from "@countersign/policy/internal/policy/rules/rule";
import type { DecidedCall } from "@countersign/policy/internal/policy/suggestions/decided-call";
import { z } from "zod";
import { decidedCallOf, outcomesOfOthers } from "../../insight/decided-call-of.js";
import type { DecidedRow } from "../../store/ports/insight-port.js";
import { type DatabaseSource, rowsOfDatabase } from "./database-calls.js";
import { callOf, linesOfFile, pastCallFields } from "./past-calls.js";

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
    (sql) => sql<DecidedRow[]>`
      select id, tool_name as "toolName", input_json as "inputJson", thread_id as "threadId",
        policy_context as "policyContext", verdict, risk, terms, status, withdrawal_cause as "withdrawalCause",
        decision_type as "decisionType", decided_at as "decidedAt",
        exists (select from countersign.votes where approval_id = approvals.id and type = 'deny' and taken_back_at is null) as "deniedByOne",
        undo_id as "undoId"
      from countersign.approvals
      where decided_at is not null and (undo_id is not null or decided_by is not null and grant_id is null)
        and terms->>'undoes' is null
        and (${tenant ?? null}::text is null or tenant_id = ${tenant ?? null})
      order by decided_at, id`,
  );
  for await (const row of rows) {
    const decided = decidedCallOf(row);
    if (decided) yield decided;
  }
}

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
