import type postgres from "postgres";
import { z } from "zod";
import { type ToolName, toolInput, toolNames } from "../scenario/tools.js";

const jsonInput = z.string().transform((text) => toolInput.parse(JSON.parse(text)));

const approvalRow = z.object({
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
  status: z.string(),
  withdrawal_cause: z.string().nullable(),
  decision_type: z.string().nullable(),
  decided_by: z.string().nullable(),
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

const runRow = z.object({
  id: z.string(),
  status: z.string(),
  output: z.string().nullable(),
  event: z
    .string()
    .transform((text) => z.object({ data: z.object({ run: z.int() }) }).parse(JSON.parse(text))),
});

export type ApprovalRow = z.infer<typeof approvalRow>;
export type AuditRow = z.infer<typeof auditRow>;

/** All that the checker reads, once everything is over. */
export interface Rows {
  approvals: ApprovalRow[];
  audit: AuditRow[];
  runs: { id: string; run: number; status: string; output: string | null }[];
}

export async function readRows(sql: postgres.Sql): Promise<Rows> {
  const [approvals, audit, runs] = await Promise.all([
    sql`select * from countersign.approvals order by created_at, id`,
    sql`select * from countersign.audit_entries order by tenant_id, position`,
    sql`select id, status, output, event from local_engine.run where function_id = 'chaos-agent' order by id`,
  ]);
  return {
    approvals: z.array(approvalRow).parse([...approvals]),
    audit: z.array(auditRow).parse([...audit]),
    runs: z
      .array(runRow)
      .parse([...runs])
      .map(({ event, ...run }) => ({ ...run, run: event.data.run })),
  };
}
