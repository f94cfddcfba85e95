import type { Policy } from "../policy.js";
import { type CompiledRule, ruleCovers } from "../rules/compiled-rule.js";
import type { VerdictKind } from "../rules/rule.js";
import { isGlob } from "./file-format.js";
import { nearestWord } from "./policy-problem.js";

/** A tool without a rule, for which the default verdict applies. */
export interface UnruledTool {
  tool: string;
  verdict: VerdictKind;
  /** The policy sets a default; otherwise the tool is denied. */
  hasDefault: boolean;
  /** `did you mean "name"?` with a name from a rule, or null. */
  suggestion: string | null;
}

/** Returns the tools that no rule covers, with their default verdict. */
export function unruledTools(
  policy: Policy,
  rules: readonly CompiledRule[],
  toolNames: readonly string[],
): UnruledTool[] {
  const named = [...new Set(rules.flatMap(({ tools }) => tools))].filter((name) => !isGlob(name));
  return toolNames
    .filter((tool) => !rules.some((rule) => ruleCovers(rule, tool)))
    .map((tool) => {
      const { kind, matched } = policy.explain({ toolName: tool, input: {} });
      const hasDefault = matched.some(({ because, layer }) => because === "default" && layer !== "built-in");
      return { tool, verdict: kind, hasDefault, suggestion: nearestWord(tool, named) };
    });
}

/** Formats a tool as one line: `refnd: no rule matches; denied by default; did you mean "refund"?` */
export function formatUnruled({ tool, verdict, hasDefault, suggestion }: UnruledTool): string {
  const outcome = hasDefault ? `the policy's default is ${verdict}` : "denied by default";
  return `${tool}: no rule matches; ${outcome}${suggestion === null ? "" : `; ${suggestion}`}`;
}
