/** Rules that say which tool calls a person must approve: `@countersign/policy`. For files of rules: `@countersign/policy/files`. */
export type { Meter } from "./bounded/work-limit.js";
export type { PolicySource } from "./policy/compile-policy.js";
export type { Count, Counted, RecordedCount, Series } from "./policy/counts.js";
export {
  definePolicy,
  type InputOf,
  type NameOf,
  type PolicyDefinition,
  type RuleFor,
  type ToolRules,
  type TypedCall,
} from "./policy/define-policy.js";
export type { LayerDefault } from "./policy/evaluate.js";
export type { PolicyText } from "./policy/files/policy-text.js";
export {
  type EvalProfileConfig,
  type EvaluationConfig,
  getDisposition,
  ToolDisposition,
} from "./policy/formats/profile-config.js";
export type { NamedChannel } from "./policy/named-channels.js";
export type { Evaluation, Explanation, MatchedRule, Policy } from "./policy/policy.js";
export type { Layer, McpFacts, PolicyCall, ThreadRule, ToolFacts } from "./policy/policy-call.js";
export type { CompiledRule } from "./policy/rules/compiled-rule.js";
export type { Condition } from "./policy/rules/condition.js";
export type { DecisionType, GrantScope, Risk, VerdictKind } from "./policy/rules/rule.js";
export type { AddedTerms, RuleReason } from "./policy/rules/rule-reasons.js";
export type { Rule } from "./policy/rules/rule-schema.js";
export type { ResolvedTerms, StoredTerms } from "./policy/rules/term-table.js";
export type { Terms } from "./policy/rules/terms.js";
export { allow, ask, type CodeRule, deny, manual, notify, type Verdict } from "./policy/rules/verdict.js";
export type { ToolLike } from "./policy/tool-facts.js";
export type { Reversible } from "./previews/reversible.js";
export type { CheckAnswer, CheckContext, CheckResult, SafetyCheck } from "./safety-checks/safety-check.js";
