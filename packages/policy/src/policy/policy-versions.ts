import type { Policy } from "./policy.js";

/** A version of a policy, which stays as it is; `undefined` if this process no longer has it. */
export function versionOf(policy: Policy, version: string): Policy | undefined {
  return policy.at?.(version) ?? (policy.version === version ? policy : undefined);
}

/** The present version of a policy, which stays as it is although its files may be replaced at any time. */
export function inForce(policy: Policy): Policy {
  return versionOf(policy, policy.version) ?? policy;
}
