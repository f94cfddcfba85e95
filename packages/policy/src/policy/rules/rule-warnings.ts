import { checkedDurationMs, durationWords } from "../../shared/duration.js";
import type { Rule } from "./rule-schema.js";

/** A valid field of a rule that has no effect. `field` is relative to the rule. */
export interface RuleWarning {
  field: string;
  message: string;
  suggestion: string;
}

/** Fields of a rule that have no effect. They loosen nothing, so the rule stays valid. */
export function ruleWarnings(rule: Rule): RuleWarning[] {
  const { timeout, escalation = [], extensions, quorum = 1 } = rule;
  const limit = timeout === undefined ? Number.POSITIVE_INFINITY : checkedDurationMs(timeout);
  const late = [...escalation.entries()].filter(([, { after }]) => checkedDurationMs(after) >= limit);
  const warnings = late.map(([index]) => ({
    field: `escalation.${index}.after`,
    message: `does not happen, because an undecided call expires after ${durationWords(limit)}${
      extensions === 0 ? "" : ", unless somebody extends its deadline"
    }`,
    suggestion: "use a shorter time, or a longer timeout",
  }));
  for (const field of ["editable", "grantable"] as const) {
    if (quorum === 1 || !rule[field]?.length) continue;
    const message = `has no effect with quorum ${quorum}, because no single person may ${whatOneMayNot[field]}`;
    warnings.push({ field, message, suggestion: `omit ${field}, or set quorum to 1` });
  }
  return warnings;
}

const whatOneMayNot = { editable: "change the call", grantable: "allow later calls" };
