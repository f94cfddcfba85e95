import type { Policy } from "../policy.js";
import type { ToolFacts } from "../policy-call.js";
import { type CompiledRule, ruleCovers } from "../rules/compiled-rule.js";
import type { VerdictKind } from "../rules/rule.js";
import { isGlob } from "../rules/tool-pattern.js";
import { keyOfUnknownServer } from "./file-format.js";
import { nearestWord } from "./policy-problem.js";

/** A tool without a rule, for which the default verdict applies. */
export interface UnruledTool {
  tool: string;
  verdict: VerdictKind;
  /** The policy sets a default; otherwise the tool is denied. */
  hasDefault: boolean;
  /** How a name from a rule could cover the tool, such as `did you mean "name"?`, or null. */
  suggestion: string | null;
}

/** Returns the tools that no rule covers, with their default verdict. */
export function unruledTools(
  policy: Policy,
  rules: readonly CompiledRule[],
  tools: readonly ToolFacts[],
): UnruledTool[] {
  const keys = new Set(rules.flatMap((rule) => (rule.keyed ? rule.tools : [])));
  const named = [...new Set(rules.flatMap((rule) => rule.tools))].filter((name) => !isGlob(name));
  const suggest = (tool: ToolFacts): string | null => {
    for (const key of keys) {
      const isKey = keyOfUnknownServer(key, [tool]);
      if (isKey) return isKey;
    }
    return nearestWord(tool.toolName, named);
  };
  return tools
    .filter((tool) => !rules.some((rule) => ruleCovers(rule, tool)))
    .map((tool) => {
      // Without its server, whose hints would count beside the default, and with effects: without them, `withoutPreview`
      // would count too.
      const { kind, matched } = policy.explain({ toolName: tool.toolName, input: {}, effects: [] });
      const hasDefault = matched.some(({ because, layer }) => because === "default" && layer !== "built-in");
      return { tool: tool.toolName, verdict: kind, hasDefault, suggestion: suggest(tool) };
    });
}

/** A glob that covers none of the tools, and a tool that differs from it only in spelling. */
export interface MisspelledGlob {
  tool: string;
  glob: string;
}

/** Returns the globs that miss a tool because of its spelling. Exact names of no tool are problems of their file. */
export function misspelledGlobs(policy: Policy, tools: readonly ToolFacts[]): MisspelledGlob[] {
  return tools.flatMap((tool) => {
    const glob = policy.otherSpelling?.(tool, tools);
    return glob !== undefined && isGlob(glob) ? [{ tool: tool.toolName, glob }] : [];
  });
}

/** Formats a tool as one line: `refnd: no rule matches; denied by default; did you mean "refund"?` */
export function formatUnruled({ tool, verdict, hasDefault, suggestion }: UnruledTool): string {
  const outcome = hasDefault ? `the policy's default is ${verdict}` : "denied by default";
  return `${tool}: no rule matches; ${outcome}${suggestion === null ? "" : `; ${suggestion}`}`;
}
