import { hashCanonical } from "../approval/digest.js";
import type { Evaluation, Policy } from "./policy.js";
import { formatProblem, type PolicyProblem } from "./policy-problem.js";
import { mergeTerms } from "./terms.js";

/** Denies every call, since there are no rules yet that can be trusted; the reason names the files. */
export function refusingPolicy(problems: readonly PolicyProblem[]): Policy {
  const files = [...new Set(problems.map((problem) => problem.file))].join(" and ");
  const reason = `The policy in ${files} cannot be used, so no tool may run until it is mended`;
  const version = hashCanonical({ refusing: true });
  const evaluation: Evaluation = {
    kind: "deny",
    terms: mergeTerms("deny", [{ reason }], { binding: [], redacting: [] }),
  };
  const because = problems.map(formatProblem).join("; ");
  const matched = [{ id: "policy-file", layer: "built-in", verdict: "deny", because, reason } as const];
  return {
    version,
    profiles: [],
    evaluate: () => evaluation,
    explain: () => ({ ...evaluation, policyVersion: version, matched: [...matched] }),
  };
}
