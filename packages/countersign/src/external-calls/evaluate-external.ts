import type { Policy } from "../policy/policy.js";
import type { PolicyCall } from "../policy/policy-call.js";
import type { VerdictKind } from "../policy/rules/rule.js";
import type { ResolvedTerms } from "../policy/rules/terms.js";

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
