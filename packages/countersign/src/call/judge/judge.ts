import type { Counted } from "@countersign/policy/internal/policy/counts";
import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import type { Counting, Judged } from "../../gate/gate.js";

/**
 * Judges a call by the policy, with what its rules count over time.
 *
 * @param meaning What a verdict means for this call. May be called again while the call is written, so it must be pure.
 */
export function judge(
  policy: Policy,
  call: PolicyCall,
  meaning: (evaluation: Evaluation) => Judged,
): Judged | Counting {
  const counts = policy.countsFor?.(call) ?? [];
  const conclude = (counted: Counted) => {
    const evaluation = policy.evaluate(counts.length > 0 ? { ...call, counted } : call);
    return { evaluation, judged: meaning(evaluation) };
  };
  return counts.length > 0 ? { kind: "counting", counts, conclude } : conclude({}).judged;
}
