import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import type { AuditEntry } from "countersign";
import type postgres from "postgres";

/** The right hash of an entry: that of its canonical JSON. */
export const auditHash = ({ at, ...entry }: Omit<AuditEntry, "hash">) =>
  hashCanonical({ ...entry, at: at.toISOString() });

/** Appends an entry as the store would, with a database role of the test's choice, and a clock that is ahead. */
export async function appendToLog(
  sql: postgres.Sql,
  entry: Pick<AuditEntry, "tenantId" | "approvalId" | "type" | "actorId" | "data">,
  aheadMs = 0,
): Promise<void> {
  const { tenantId, approvalId, actorId, type, data } = entry;
  const { stringify } = JSON;
  // As canonical JSON has it, because none of these tests nests objects.
  const sorted = Object.fromEntries(Object.entries(data).sort());
  const written = {
    ...{ approval_id: approvalId, actor_id: actorId, type, data: stringify(sorted) },
    to_time: `{"actorId":${stringify(actorId)},"approvalId":${stringify(approvalId)},"at":"`,
    to_position: `","data":${stringify(sorted)},"position":`,
    to_end: `","tenantId":${stringify(tenantId)},"type":${stringify(type)}}`,
  };
  await sql.begin(async (tx) => {
    await tx`select set_config('countersign.tenant', ${tenantId}, true)`;
    await tx`select countersign.append_to_audit_log(${tenantId}, ${aheadMs}, ${stringify([written])}::text::json)`;
  });
}
