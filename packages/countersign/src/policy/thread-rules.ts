import { CountersignError } from "../errors.js";
import { compileRule } from "./compile-rule.js";
import type { CompiledRule } from "./compiled-rule.js";
import { looseningFields } from "./loosening.js";
import { checkedRuleSchema } from "./rule.js";

/**
 * Rules for one thread, from the host. They can only tighten: whoever may write to a thread's settings must not be
 * able to open a tool with them.
 *
 * @throws CountersignError `invalid_policy`, naming the rule and the field.
 */
export function threadRules(rules: readonly unknown[]): CompiledRule[] {
  return rules.map((rule, index) => {
    const parsed = checkedRuleSchema.safeParse(rule);
    if (!parsed.success) {
      const problems = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
      throw new CountersignError("invalid_policy", `thread.rules.${index}: ${problems.join("; ")}`);
    }
    const { verdict } = parsed.data;
    if (verdict === "allow" || verdict === "notify") {
      throw new CountersignError(
        "invalid_policy",
        `thread.rules.${index}.verdict: a thread's rules only tighten; use ask, manual or deny, not ${verdict}`,
      );
    }
    const [loose] = looseningFields(parsed.data);
    if (loose !== undefined) {
      throw new CountersignError(
        "invalid_policy",
        `thread.rules.${index}.${loose}: a thread's rules only tighten; say this in the policy`,
      );
    }
    return compileRule(parsed.data, { layer: "thread", place: `thread.rules.${index}` });
  });
}
