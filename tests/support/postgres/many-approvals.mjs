import { hashCanonical } from "@countersign/policy/internal/shared/canonical-hash";
import { approvalDigest, defaultTerms } from "countersign/internal";

const batch = 50_000;
const inputJson = '{"id":"A-1","amount":80}';
const nonce = "nonce";
/** @type {typeof defaultTerms} */
const terms = { ...defaultTerms, decisions: ["approve", "deny"] };

/** @param {string} tenantId */
const hashOfCall = (tenantId) =>
  hashCanonical({
    ...{ tenantId, toolName: "refund", toolVersion: "1", input: JSON.parse(inputJson), policyVersion: "1" },
  });

/** The digest of a pending call that `fillWithPending` writes. @param {string} tenantId @param {number} number */
export function digestOfPending(tenantId, number) {
  return approvalDigest({
    id: `open_${number}`,
    requestId: `open_${number}`,
    position: 0,
    toolCallId: "call",
    runId: `open_run_${number}`,
    tenantId,
    requesterId: "requester",
    threadId: `thread_${number % 1000}`,
    agentName: "support",
    toolName: "refund",
    toolVersion: "1",
    inputJson,
    inputSchemaJson: null,
    policyVersion: "1",
    policyContext: { principal: null, profile: null, mcp: null },
    verdict: "ask",
    proposedRoles: ["finance"],
    approvers: { roles: ["finance"], ids: [] },
    terms: { ...terms, summaryParts: [{ text: `Refund 80 EUR for order A-${number}` }] },
    timeoutMs: 86_400_000,
    risk: "medium",
    reason: null,
    summary: `Refund 80 EUR for order A-${number}`,
    nonce,
  });
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
      insert into countersign.requests (id, tenant_id, thread_id, run_id, created_at, settled_at)
      select 'past_' || n, ${tenantId}, 'thread_' || n % 1000, 'past_run_' || n,
        now() - n * interval '3 seconds', now() - n * interval '2 seconds'
      from generate_series(${start}::int, ${end}::int) n`;
    await tx`
      insert into countersign.approvals (
        id, tenant_id, request_id, thread_id, run_id, agent_name, requester_id, position, tool_call_id, tool_name,
        tool_version, input_json, digest, nonce, call_hash, policy_context, status, verdict, summary, risk, terms,
        proposed_roles, approver_roles, approver_ids, policy_version, timeout_ms, created_at, announced_at, expires_at,
        decision_type, decided_by, decided_at, finished_at)
      select 'past_' || n, ${tenantId}, 'past_' || n, 'thread_' || n % 1000, 'past_run_' || n, 'support',
        'requester', 0, 'call', 'refund', '1', ${inputJson}, 'digest_' || n, ${nonce}, ${hashOfCall(tenantId)},
        '{"principal":null,"profile":null,"mcp":null}', case when n % 2 = 0 then 'executed' else 'denied' end, 'ask',
        'Refund 80 EUR for order A-' || n, 'medium', ${JSON.stringify(terms)}::text::jsonb || jsonb_build_object(
          'summaryParts', jsonb_build_array(jsonb_build_object('text', 'Refund 80 EUR for order A-' || n))),
        array['finance'], array['finance'], array[]::text[], '1', 1800000, now() - n * interval '3 seconds',
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
 * @param {number} [from] the number of the first: those of all tenants differ
 */
export async function fillWithPending(sql, tenantId, count, from = 1) {
  const digests = Array.from({ length: count }, (_, index) => digestOfPending(tenantId, from + index));
  await sql.begin(async (tx) => {
    await tx`select set_config('countersign.all_tenants', 'on', true)`;
    await tx`
      insert into countersign.requests (id, tenant_id, thread_id, run_id, created_at)
      select 'open_' || n, ${tenantId}, 'thread_' || n % 1000, 'open_run_' || n, now()
      from generate_series(${from}::int, ${from + count - 1}::int) n`;
    await tx`
      insert into countersign.approvals (
        id, tenant_id, request_id, thread_id, run_id, agent_name, requester_id, position, tool_call_id, tool_name,
        tool_version, input_json, digest, nonce, call_hash, policy_context, status, verdict, summary, risk, terms,
        proposed_roles, approver_roles, approver_ids, policy_version, timeout_ms, created_at, announced_at, expires_at)
      select 'open_' || n, ${tenantId}, 'open_' || n, 'thread_' || n % 1000, 'open_run_' || n, 'support',
        'requester', 0, 'call', 'refund', '1', ${inputJson}, digest, ${nonce}, ${hashOfCall(tenantId)},
        '{"principal":null,"profile":null,"mcp":null}', 'pending', 'ask',
        'Refund 80 EUR for order A-' || n, 'medium', ${JSON.stringify(terms)}::text::jsonb || jsonb_build_object(
          'summaryParts', jsonb_build_array(jsonb_build_object('text', 'Refund 80 EUR for order A-' || n))),
        array['finance'], array['finance'], array[]::text[], '1', 86400000, now(), now(),
        now() + interval '1 hour' + n * interval '1 minute'
      from (
        select digest, ${from - 1}::int + nth as n
        from jsonb_array_elements_text(${JSON.stringify(digests)}::text::jsonb) with ordinality as listed (digest, nth)
      ) written`;
  });
  await sql`analyze countersign.approvals`;
  await sql`analyze countersign.requests`;
}
