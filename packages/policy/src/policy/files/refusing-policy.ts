import { hashCanonical } from "../../shared/canonical-hash.js";
import type { Evaluation, Policy } from "../policy.js";
import { mergeTerms } from "../rules/merge-terms.js";
import { formatProblem, type PolicyProblem } from "./policy-problem.js";

/** A policy that denies every call, used until there are valid rules. The reason names the files. */
export function refusingPolicy(problems: readonly PolicyProblem[]): Policy {
  const files = [...new Set(problems.map((problem) => problem.file))].join(" and ");
  const reason = `The policy in ${files} is invalid, so all calls are denied until it is fixed`;
  const version = hashCanonical({ refusing: true });
  const evaluation: Evaluation = {
    kind: "deny",
    terms: mergeTerms("deny", [{ reason }]),
  };
  const because = problems.map(formatProblem).join("; ");
  const matched = [{ id: "policy-file", layer: "built-in", verdict: "deny", because, reason } as const];
  return {
    version,
    profiles: [],
    readsEffects: () => false,
    evaluate: () => evaluation,
    explain: () => ({ ...evaluation, policyVersion: version, matched: [...matched] }),
  };
}
