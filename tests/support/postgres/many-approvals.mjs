import { createHash } from "node:crypto";

const batch = 50_000;

/** The digest of the call that is written here, as it is without a nonce. @param {string} tenantId */
function digestOf(tenantId) {
  const canonical = `{"input":{"amount":80,"id":"A-1"},"policyVersion":"1","tenantId":${JSON.stringify(tenantId)},"toolName":"refund","toolVersion":"1"}`;
  return createHash("sha256").update(canonical).digest("hex");
}

/**
 * Writes decided approvals of one tenant straight into its table, one request each, spread over the past; and has the
 * planner look at the tables again. They are numbered, so that more can be added later.
 *
 * @param {import("postgres").Sql} sql
 * @param {string} tenantId
 * @param {{ from: number, to: number }} numbers
 */
export async function fillWithDecided(sql, tenantId, { from, to }) {
  const starts = Array.from(
    { length: Math.ceil((to - from + 1) / batch) },
    (_, index) => from + index * batch,
  ).values();
  const fill = async () => {
    for (const start of starts) await fillBatch(sql, tenantId, start, Math.min(to, start + batch - 1));
  };
  // Two at once, for two cores.
  await Promise.all([fill(), fill()]);
  await sql`analyze countersign.approvals`;
  await sql`analyze countersign.requests`;
}

/** @param {import("postgres").Sql} sql @param {string} tenantId @param {number} start @param {number} end */
async function fillBatch(sql, tenantId, start, end) {
  await sql.begin(async (tx) => {
    await tx`select set_config('countersign.all_tenants', 'on', true)`;
    await tx`
      insert into countersign.requests (id, tenant_id, thread_id, run_id, wake_up_token, created_at, settled_at)
      select 'past_' || n, ${tenantId}, 'thread_' || n % 1000, 'past_run_' || n, 'token',
        now() - n * interval '3 seconds', now() - n * interval '2 seconds'
      from generate_series(${start}::int, ${end}::int) n`;
    await tx`
      insert into countersign.approvals (
        id, tenant_id, request_id, thread_id, run_id, agent_name, requester_id, position, tool_call_id, tool_name,
        tool_version, input_json, digest, policy_context, status, verdict, summary, risk, terms, approver_roles,
        approver_ids, policy_version, timeout_ms, created_at, announced_at, expires_at, decision_type, decided_by,
        decided_at, finished_at)
      select 'past_' || n, ${tenantId}, 'past_' || n, 'thread_' || n % 1000, 'past_run_' || n, 'support',
        'requester', 0, 'call', 'refund', '1', '{"id":"A-1","amount":80}', 'digest_' || n,
        '{"principal":null,"profile":null,"mcp":null}', case when n % 2 = 0 then 'executed' else 'denied' end, 'ask',
        'Refund 80 EUR for order A-' || n, 'medium', '{"decisions":["approve","deny"],"quorum":1}',
        array['finance'], array[]::text[], '1', 1800000, now() - n * interval '3 seconds',
        now() - n * interval '3 seconds', now() - n * interval '1 second',
        case when n % 2 = 0 then 'approve' else 'deny' end, 'finance', now() - n * interval '2 seconds',
        now() - n * interval '2 seconds'
      from generate_series(${start}::int, ${end}::int) n`;
  });
}

/**
 * Writes pending approvals of one tenant straight into its table, one request each, that finance may decide and that
 * end one after the other, from an hour from now on.
 *
 * @param {import("postgres").Sql} sql
 * @param {string} tenantId
 * @param {number} count
 */
export async function fillWithPending(sql, tenantId, count) {
  await sql.begin(async (tx) => {
    await tx`select set_config('countersign.all_tenants', 'on', true)`;
    await tx`
      insert into countersign.requests (id, tenant_id, thread_id, run_id, wake_up_token, created_at)
      select 'open_' || n, ${tenantId}, 'thread_' || n % 1000, 'open_run_' || n, 'token', now()
      from generate_series(1, ${count}::int) n`;
    await tx`
      insert into countersign.approvals (
        id, tenant_id, request_id, thread_id, run_id, agent_name, requester_id, position, tool_call_id, tool_name,
        tool_version, input_json, digest, policy_context, status, verdict, summary, risk, terms, approver_roles,
        approver_ids, policy_version, timeout_ms, created_at, announced_at, expires_at)
      select 'open_' || n, ${tenantId}, 'open_' || n, 'thread_' || n % 1000, 'open_run_' || n, 'support',
        'requester', 0, 'call', 'refund', '1', '{"id":"A-1","amount":80}', ${digestOf(tenantId)},
        '{"principal":null,"profile":null,"mcp":null}', 'pending', 'ask',
        'Refund 80 EUR for order A-' || n, 'medium',
        '{"decisions":["approve","deny"],"quorum":1}',
        array['finance'], array[]::text[], '1', 86400000, now(), now(),
        now() + interval '1 hour' + n * interval '1 minute'
      from generate_series(1, ${count}::int) n`;
  });
  await sql`analyze countersign.approvals`;
  await sql`analyze countersign.requests`;
}
