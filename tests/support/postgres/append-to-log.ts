import type postgres from "postgres";
import { canonicalParts } from "../../../packages/countersign/src/audit/audit-entry.js";

/** Appends an entry as the store would, with a database role of the test's choice, and a clock that is ahead. */
export async function appendToLog(
  sql: postgres.Sql,
  entry: Parameters<typeof canonicalParts>[0],
  aheadMs = 0,
): Promise<void> {
  const { toTime, toPosition, toEnd } = canonicalParts(entry);
  const { tenantId, approvalId, actorId, type, data } = entry;
  // As canonical JSON has it, because none of these tests nests objects.
  const sorted = Object.fromEntries(Object.entries(data).sort());
  const written = {
    ...{ approval_id: approvalId, actor_id: actorId, type, data: JSON.stringify(sorted) },
    ...{ to_time: toTime, to_position: toPosition, to_end: toEnd },
  };
  await sql.begin(async (tx) => {
    await tx`select set_config('countersign.tenant', ${tenantId}, true)`;
    await tx`select countersign.append_to_audit_log(${tenantId}, ${aheadMs}, ${JSON.stringify([written])}::text::json)`;
  });
}
