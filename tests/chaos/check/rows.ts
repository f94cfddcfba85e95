import type postgres from "postgres";
import { z } from "zod";
import { type ToolName, toolInput, toolNames } from "../scenario/tools.js";
import type { AgentRun, EngineView } from "../world/engine-view.js";
import { digestsOf } from "./digest.js";

const jsonInput = z.string().transform((text) => toolInput.parse(JSON.parse(text)));

const approvalRow = z.object({
  /** Computed from the row by the checker. */
  digests: z.object({ proposed: z.string(), edited: z.string().nullable() }),
  id: z.string(),
  tenant_id: z.string(),
  request_id: z.string(),
  run_id: z.string(),
  tool_name: z.enum(toolNames as [ToolName, ...ToolName[]]),
  tool_version: z.string(),
  input_json: jsonInput,
  digest: z.string(),
  edited_input_json: jsonInput.nullable(),
  edited_digest: z.string().nullable(),
  policy_version: z.string(),
  verdict: z.string(),
  status: z.string(),
  withdrawal_cause: z.string().nullable(),
  decision_type: z.string().nullable(),
  decided_by: z.string().nullable(),
  announced_at: z.date().nullable(),
  undo_id: z.string().nullable(),
  undone_at: z.date().nullable(),
  grant_id: z.string().nullable(),
});

/** An undo, which is a call of its own. */
const undoRow = z.object({
  digests: z.object({ proposed: z.string() }),
  id: z.string(),
  digest: z.string(),
  status: z.string(),
  undoes: z.string(),
  asked_by: z.string(),
});

const auditRow = z.object({
  tenant_id: z.string(),
  position: z.coerce.number(),
  approval_id: z.string().nullable(),
  type: z.string(),
  actor_id: z.string().nullable(),
  at: z.date(),
  data: z.record(z.string(), z.unknown()),
  prev_hash: z.string(),
  hash: z.string(),
});

const deliveryRow = z.object({
  id: z.string(),
  approval_id: z.string(),
  channel: z.string(),
  recipient_id: z.string().nullable(),
  event: z.string(),
  state: z.string(),
});

export type DeliveryRow = z.infer<typeof deliveryRow>;
export type UndoRow = z.infer<typeof undoRow>;
export type ApprovalRow = z.infer<typeof approvalRow>;
export type AuditRow = z.infer<typeof auditRow>;

/** All rows that the checker reads after the run. */
export interface Rows {
  approvals: ApprovalRow[];
  undos: UndoRow[];
  audit: AuditRow[];
  deliveries: DeliveryRow[];
  runs: AgentRun[];
}

export async function readRows(sql: postgres.Sql, engine: EngineView): Promise<Rows> {
  const [approvals, audit, deliveries, runs] = await Promise.all([
    sql`select *, to_json(proposed_roles) as proposed_roles, to_json(approver_ids) as approver_ids,
        terms -> 'undoes' ->> 'approvalId' as undoes, terms -> 'undoes' ->> 'askedBy' as asked_by
      from countersign.approvals order by created_at, id`,
    sql`select * from countersign.audit_entries order by tenant_id, position`,
    sql`select * from countersign.deliveries`,
    engine.agentRuns(),
  ]);
  const withDigests = approvals.map((row) => ({ ...row, undoes: row.undoes, digests: digestsOf(row) }));
  return {
    approvals: z.array(approvalRow).parse(withDigests.filter(({ undoes }) => undoes === null)),
    undos: z.array(undoRow).parse(withDigests.filter(({ undoes }) => undoes !== null)),
    audit: z.array(auditRow).parse([...audit]),
    deliveries: z.array(deliveryRow).parse([...deliveries]),
    runs,
  };
}
