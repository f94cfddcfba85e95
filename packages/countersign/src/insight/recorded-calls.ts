import type { RecordedCount } from "@countersign/policy/internal/policy/counts";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import { previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import type { DecidedCall } from "@countersign/policy/internal/policy/suggestions/decided-call";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { PendingQuery, Sql } from "postgres";
import type { PolicyContext } from "../approval/approval.js";
import { countedOf } from "../counting/call-counts.js";
import { sqlStateOf } from "../store/connection/sql-states.js";
import { lacksMigration, notMigrated } from "../store/migrations/not-migrated.js";
import type { DecidedRow } from "../store/ports/insight-port.js";
import { databaseFailed } from "../store/safe-errors.js";
import { decidedCallOf } from "./decided-call-of.js";

interface CallRow {
  id: string;
  tool_name: string;
  input_json: string;
  thread_id: string | null;
  policy_context: Pick<PolicyContext, "mcp" | "marked">;
  preview: RecordedPreview | null;
  counts: RecordedCount[] | null;
}

/**
 * Reads the calls in a database's approvals, oldest first, of all tenants. The requester's roles and the profile are not
 * stored with them. Needs `postgres`.
 *
 * @param url Of a Postgres database. It may hold millions of calls, which are read a few at a time.
 * @throws CountersignError `not_migrated` or `database_failed`, with neither the URL nor personal data.
 */
export async function* recordedCalls(url: string): AsyncGenerator<{ id: string; call: PolicyCall }> {
  const rows = readRows(
    url,
    (sql) => sql<CallRow[]>`
      select id, tool_name, input_json, thread_id, policy_context, 
        terms -> 'preview' as preview, terms -> 'counts' as counts
      from countersign.approvals order by created_at, id`,
  );
  for await (const row of rows) {
    yield {
      id: row.id,
      call: {
        toolName: row.tool_name,
        input: JSON.parse(row.input_json),
        thread: row.thread_id === null ? null : { id: row.thread_id },
        mcp: row.policy_context.mcp ?? undefined,
        marked: row.policy_context.marked,
        ...previewFacts(row.preview),
        counted: countedOf(row.counts ?? []),
      },
    };
  }
}

/**
 * Reads the calls that people decided from a database, oldest first. Calls whose outcome is not known yet, undos, and calls
 * that nobody decided are left out; but not those that somebody wanted to undo, which is a decision too. Needs `postgres`.
 *
 * @throws CountersignError `not_migrated` or `database_failed`, with neither the URL nor personal data.
 */
export async function* decidedCalls(
  url: string,
  { tenantId = null }: { tenantId?: string | null | undefined } = {},
): AsyncGenerator<DecidedCall> {
  const rows = readRows(
    url,
    (sql) => sql<DecidedRow[]>`
      select id, tool_name as "toolName", input_json as "inputJson", thread_id as "threadId",
        policy_context as "policyContext", verdict, risk, terms, status, withdrawal_cause as "withdrawalCause",
        decision_type as "decisionType", decided_at as "decidedAt",
        exists (select from countersign.votes where approval_id = approvals.id and type = 'deny' and taken_back_at is null) as "deniedByOne",
        undo_id as "undoId"
      from countersign.approvals
      where decided_at is not null and (undo_id is not null or decided_by is not null and grant_id is null)
        and terms->>'undoes' is null
        and (${tenantId}::text is null or tenant_id = ${tenantId})
      order by decided_at, id`,
  );
  for await (const row of rows) {
    const decided = decidedCallOf(row);
    if (decided) yield decided;
  }
}

const rowsAtATime = 500;

/** Reads rows of all tenants. */
async function* readRows<Row extends object>(
  url: string,
  select: (sql: Sql) => PendingQuery<Row[]>,
): AsyncGenerator<Row> {
  const { default: postgres } = await import("postgres");
  let sql: Sql | undefined;
  try {
    sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, connect_timeout: 10 });
    // Row-level security hides all rows unless the connection opts in to all tenants.
    await sql`select set_config('countersign.all_tenants', 'on', false)`;
    for await (const rows of select(sql).cursor(rowsAtATime)) yield* rows as Iterable<Row>;
  } catch (error) {
    const sqlState = sqlStateOf(error);
    const verb = "read recorded calls";
    throw lacksMigration(sqlState) ? notMigrated({ verb, sqlState }) : databaseFailed(verb, sqlState);
  } finally {
    await sql?.end({ timeout: 5 });
  }
}
