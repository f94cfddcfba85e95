import { UsageError } from "./cli-io.js";
import type { PastCall } from "./past-calls.js";

interface Row {
  id: string;
  tool_name: string;
  input_json: string;
  thread_id: string | null;
}

const rowsAtATime = 500;

/**
 * The calls that a database has approvals for, oldest first. Who asked, and in which profile, is not stored with them.
 * @throws UsageError when the database cannot be read; its message holds neither the URL nor anybody's data.
 */
export async function* callsOfDatabase(url: string): AsyncGenerator<PastCall> {
  const { default: postgres } = await import("postgres").catch(() => {
    throw new UsageError('--database-url needs the package "postgres"; install it beside countersign');
  });
  let sql: ReturnType<typeof postgres> | undefined;
  try {
    sql = postgres(url, { max: 1, onnotice: () => {}, connect_timeout: 10 });
    // Every tenant's, for this one connection: without saying so nobody sees a row.
    await sql`select set_config('countersign.all_tenants', 'on', false)`;
    const query = sql<Row[]>`
      select id, tool_name, input_json, thread_id from countersign.approvals order by created_at, id`;
    for await (const rows of query.cursor(rowsAtATime)) {
      for (const row of rows) {
        yield {
          at: row.id,
          call: {
            toolName: row.tool_name,
            input: JSON.parse(row.input_json),
            thread: row.thread_id === null ? null : { id: row.thread_id },
          },
        };
      }
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new UsageError(
      `--database-url: the approvals cannot be read (${code}); check the URL and that it was migrated`,
    );
  } finally {
    await sql?.end({ timeout: 5 });
  }
}
