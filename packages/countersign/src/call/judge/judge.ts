import type { Counted } from "@countersign/policy/internal/policy/counts";
import type { Evaluation, Policy } from "@countersign/policy/internal/policy/policy";
import type { PolicyCall } from "@countersign/policy/internal/policy/policy-call";
import type { Approval } from "../../approval/approval.js";
import { countedOf } from "../../counting/call-counts.js";
import type { Counting, Judged } from "../../gate/gate.js";

/**
 * Judges a call by the policy, with what its rules count over time.
 *
 * @param meaning What a verdict means for this call. May be called again while the call is written, so it must be pure.
 * @param earlier The row that an earlier attempt of the same step wrote. What it counted holds: counted again, the call would
 * count itself.
 */
export function judge(
  policy: Policy,
  call: PolicyCall,
  meaning: (evaluation: Evaluation) => Judged,
  earlier?: Pick<Approval, "terms">,
): Judged | Counting {
  const counts = policy.countsFor?.(call) ?? [];
  const conclude = (counted: Counted) => {
    const evaluation = policy.evaluate(counts.length > 0 ? { ...call, counted } : call);
    return { evaluation, judged: meaning(evaluation) };
  };
  if (earlier) return conclude(countedOf(earlier.terms.counts)).judged;
  return counts.length > 0 ? { kind: "counting", counts, conclude } : conclude({}).judged;
}
