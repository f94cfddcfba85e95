import type { RecordedCount } from "@countersign/policy/internal/policy/counts";
import type { McpFacts } from "@countersign/policy/internal/policy/policy-call";
import { previewFacts } from "@countersign/policy/internal/policy/preview-facts";
import type { RecordedPreview } from "@countersign/policy/internal/previews/recorded-preview";
import type { PendingQuery, Sql } from "postgres";
import { countedOf } from "../../counting/call-counts.js";
import { sqlStateOf } from "../../store/connection/sql-states.js";
import { lacksMigration, notMigrated } from "../../store/migrations/not-migrated.js";
import { UsageError } from "../cli-io.js";
import { databaseError } from "../with-store.js";
import type { PastCall } from "./past-calls.js";

interface Row {
  id: string;
  tool_name: string;
  input_json: string;
  thread_id: string | null;
  policy_context: { mcp: McpFacts | null };
  preview: RecordedPreview | null;
  counts: RecordedCount[] | null;
}

/**
 * Reads the calls in a database's approvals, oldest first. The requester's roles and the profile are not stored with
 * them.
 * @throws UsageError if the database cannot be read. The message contains neither the URL nor personal data.
 */
export async function* callsOfDatabase(database: DatabaseSource): AsyncGenerator<PastCall> {
  const rows = rowsOfDatabase(
    database,
    (sql) => sql<Row[]>`
      select id, tool_name, input_json, thread_id, policy_context, 
        terms -> 'preview' as preview, terms -> 'counts' as counts
      from countersign.approvals order by created_at, id`,
  );
  for await (const row of rows) {
    yield {
      at: row.id,
      call: {
        toolName: row.tool_name,
        input: JSON.parse(row.input_json),
        thread: row.thread_id === null ? null : { id: row.thread_id },
        mcp: row.policy_context.mcp ?? undefined,
        ...previewFacts(row.preview),
        counted: countedOf(row.counts ?? []),
      },
    };
  }
}

export interface DatabaseSource {
  url: string;
  /** The option or variable that has the URL. */
  source: string;
}

const rowsAtATime = 500;

/**
 * Reads rows of all tenants.
 * @throws UsageError if the database cannot be read. The message contains neither the URL nor personal data.
 */
export async function* rowsOfDatabase<Row extends object>(
  { url, source }: DatabaseSource,
  select: (sql: Sql) => PendingQuery<Row[]>,
): AsyncGenerator<Row> {
  const { default: postgres } = await import("postgres").catch(() => {
    throw new UsageError(`${source} requires the package "postgres"; install it next to countersign`);
  });
  let sql: Sql | undefined;
  try {
    sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {}, connect_timeout: 10 });
    // Row-level security hides all rows unless the connection opts in to all tenants.
    await sql`select set_config('countersign.all_tenants', 'on', false)`;
    for await (const rows of select(sql).cursor(rowsAtATime)) yield* rows as Iterable<Row>;
  } catch (error) {
    const code = sqlStateOf(error);
    if (lacksMigration(code)) throw new UsageError(`${source}: ${notMigrated().message}`);
    throw databaseError(source, "cannot read approvals", code);
  } finally {
    await sql?.end({ timeout: 5 });
  }
}
