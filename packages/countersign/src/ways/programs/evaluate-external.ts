import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";

type ExternalPolicyCall = Pick<PolicyCall, "toolName" | "input" | "profile" | "counted"> & {
  requester: PolicyCall["principal"];
};

/** A call of another program as the policy sees it. */
export function externalPolicyCall({ requester, ...call }: ExternalPolicyCall): PolicyCall {
  return { ...call, principal: requester, thread: null };
}

/**
 * The verdict on a call of another program: when it is requested, and again when its approval is used. The program has
 * a token with which it could approve its own call through the API. So the requester of such a call can never approve
 * it.
 */
export function ofProgram({ kind, terms }: Evaluation): Evaluation {
  return { kind, terms: { ...terms, requesterMayNotApprove: true } };
}

/** The policy's verdict on such a call. */
export function evaluateExternal(policy: Policy, call: ExternalPolicyCall): Evaluation {
  return ofProgram(policy.evaluate(externalPolicyCall(call)));
}
