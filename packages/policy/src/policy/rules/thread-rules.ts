import { CountersignError } from "../../shared/errors.js";
import { leafIssues } from "../files/schema-problems.js";
import { compileRule } from "./compile-rule.js";
import { type CompiledRule, countsOf } from "./compiled-rule.js";
import { looseningFields } from "./loosening.js";
import { checkedRuleSchema } from "./rule-schema.js";

/**
 * Compiles the host's rules for one thread. They can only tighten, so that people who may change a thread's settings
 * cannot loosen the policy.
 *
 * @throws CountersignError `invalid_policy`, naming the rule and the field.
 */
export function threadRules(rules: readonly unknown[]): CompiledRule[] {
  return rules.map((rule, index) => {
    const parsed = checkedRuleSchema.safeParse(rule);
    if (!parsed.success) {
      const problems = parsed.error.issues.flatMap((issue) => leafIssues(issue));
      const texts = problems.map(({ path, message }) => `${path.map(String).join(".")}: ${message}`);
      throw new CountersignError("invalid_policy", `thread.rules.${index}: ${texts.join("; ")}`);
    }
    const { verdict } = parsed.data;
    if (verdict === "allow" || verdict === "notify") {
      throw new CountersignError(
        "invalid_policy",
        `thread.rules.${index}.verdict: thread rules can only tighten; use ask, manual or deny, not ${verdict}`,
      );
    }
    const [loose] = looseningFields(verdict, parsed.data);
    if (loose !== undefined) {
      throw new CountersignError(
        "invalid_policy",
        `thread.rules.${index}.${loose}: thread rules can only tighten; set this in the policy`,
      );
    }
    const compiled = compileRule(parsed.data, { layer: "thread", place: `thread.rules.${index}` });
    if (countsOf(compiled).length > 0) {
      throw new CountersignError(
        "invalid_policy",
        `thread.rules.${index}.when: thread rules cannot count over time; set this in the policy, with "thread" as the last argument`,
      );
    }
    return compiled;
  });
}
