import { defaultTerms } from "countersign/internal";
import { z } from "zod";
import { canonical, sha256 } from "./canonical.js";

const json = z.string().transform((text): unknown => JSON.parse(text));

/** The fields of a row that its digest covers, as docs/operating/evidence.md lists them. */
const covered = z.object({
  id: z.string(),
  request_id: z.string(),
  position: z.int(),
  tool_call_id: z.string(),
  run_id: z.string().nullable(),
  tenant_id: z.string(),
  requester_id: z.string().nullable(),
  thread_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  tool_name: z.string(),
  tool_version: z.string(),
  input_json: json,
  edited_input_json: json.nullable(),
  input_schema_json: z.string().nullable(),
  policy_version: z.string(),
  policy_context: z.unknown(),
  verdict: z.string(),
  proposed_roles: z.array(z.string()),
  approver_ids: z.array(z.string()),
  terms: z.record(z.string(), z.unknown()),
  timeout_ms: z.coerce.number(),
  risk: z.string(),
  reason: z.string().nullable(),
  summary: z.string(),
  nonce: z.string(),
});

/** Terms with these default values are left out. */
const plain: Readonly<Record<string, unknown>> = { ...defaultTerms };

/** The digests that a row must have: of the call as proposed, and as edited. */
export function digestsOf(row: unknown): { proposed: string; edited: string | null } {
  const { edited_input_json: edited, input_json: input, ...rest } = covered.parse(row);
  const terms = Object.entries(rest.terms).filter(
    ([name, value]) => canonical(value) !== canonical(plain[name] ?? null),
  );
  const digest = (arguments_: unknown) =>
    sha256(
      canonical({
        nonce: rest.nonce,
        id: rest.id,
        requestId: rest.request_id,
        position: rest.position,
        toolCallId: rest.tool_call_id,
        runId: rest.run_id,
        tenantId: rest.tenant_id,
        requesterId: rest.requester_id,
        threadId: rest.thread_id,
        agentName: rest.agent_name,
        toolName: rest.tool_name,
        toolVersion: rest.tool_version,
        input: arguments_,
        inputSchema: rest.input_schema_json,
        policyVersion: rest.policy_version,
        policyContext: rest.policy_context,
        verdict: rest.verdict,
        approvers: { roles: rest.proposed_roles, ids: rest.approver_ids },
        terms: Object.fromEntries(terms),
        timeoutMs: rest.timeout_ms,
        risk: rest.risk,
        reason: rest.reason,
        summary: rest.summary,
      }),
    );
  return { proposed: digest(input), edited: edited === null ? null : digest(edited) };
}
