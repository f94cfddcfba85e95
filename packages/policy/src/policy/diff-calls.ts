import type { Policy } from "./policy.js";
import type { PolicyCall } from "./policy-call.js";
import { type VerdictKind, verdictKinds } from "./rules/rule.js";
import type { ResolvedTerms } from "./rules/term-table.js";
import { textTerms } from "./rules/terms.js";

/** How a candidate policy would treat a call differently from the live one. */
export interface Difference {
  at: string;
  toolName: string;
  /** `terms`: the verdict is the same, but the approval terms differ. */
  change: "stricter" | "looser" | "terms";
  from: VerdictKind;
  to: VerdictKind;
  /** The terms that differ, if the verdict is the same. */
  terms: string[];
}

/** Evaluates calls with two policies. Ignores differences in reasons and summaries. */
export async function diffCalls(
  live: Policy,
  candidate: Policy,
  calls: AsyncIterable<{ at: string; call: PolicyCall }>,
): Promise<{ replayed: number; differences: Difference[] }> {
  const differences: Difference[] = [];
  let replayed = 0;
  for await (const { at, call } of calls) {
    replayed += 1;
    const { kind: from, terms: before } = live.evaluate(call);
    const { kind: to, terms: after } = candidate.evaluate(call);
    const terms = from === to && (to === "ask" || to === "manual") ? changedTerms(before, after) : [];
    if (from === to && terms.length === 0) continue;
    const stricter = verdictKinds.indexOf(to) > verdictKinds.indexOf(from);
    const change = from === to ? "terms" : stricter ? "stricter" : "looser";
    differences.push({ at, toolName: call.toolName, change, from, to, terms });
  }
  return { replayed, differences };
}

/** They decide nothing. */
const texts: readonly (keyof ResolvedTerms)[] = ["reasons", ...textTerms];

function changedTerms(before: ResolvedTerms, after: ResolvedTerms): string[] {
  return (Object.keys(before) as (keyof ResolvedTerms)[])
    .filter((name) => !texts.includes(name))
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}
