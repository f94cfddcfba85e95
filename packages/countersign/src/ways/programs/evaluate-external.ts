import type { Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import type { VerdictKind } from "@countersign/policy/internal/policy/rules/rule";
import type { ResolvedTerms } from "@countersign/policy/internal/policy/rules/terms";

type ExternalPolicyCall = Pick<PolicyCall, "toolName" | "input" | "profile" | "counted"> & {
  requester: PolicyCall["principal"];
};

/**
 * The verdict on a call of another program: when it is requested, and again when its approval is used. The program has
 * a token with which it could approve its own call through the API. So the requester of such a call can never approve
 * it.
 */
export function evaluateExternal(
  policy: Policy,
  { requester, ...call }: ExternalPolicyCall,
): { kind: VerdictKind; terms: ResolvedTerms } {
  const { kind, terms } = policy.evaluate({ ...call, principal: requester, thread: null });
  return { kind, terms: { ...terms, requesterMayNotApprove: true } };
}
