import type { ToolFacts } from "../policy-call.js";
import { type CompiledRule, ruleCovers } from "./compiled-rule.js";
import { isGlob, nameMatches } from "./tool-pattern.js";

/**
 * Finds rules that miss a tool only because of its spelling: another separator, or camel case. Such a rule covers none of
 * the tools that are present, whatever the default or a broader rule says of the missed tool. A tool that a rule names
 * exactly is not reported, and neither is one that a glob with the same words covers: the policy knows its spelling.
 */
export function otherSpellings(rules: readonly CompiledRule[]) {
  let names: ReturnType<typeof nameIn>[] | undefined;
  return (tool: ToolFacts, present: readonly ToolFacts[]): string | undefined => {
    names ??= rules.flatMap((rule) => rule.tools.map((name) => nameIn(rule, name)));
    const words = wordsOf(tool.toolName);
    const fitting = names.filter(({ fits }) => fits(words));
    const own = fitting.filter(({ covers }) => covers(tool));
    if (own.some(({ glob }) => !glob)) return undefined;
    const missing = fitting.find(
      (other) => !present.some(other.covers) && !own.some((known) => known.words === other.words),
    );
    return missing?.name;
  };
}

function nameIn({ keyed }: CompiledRule, name: string) {
  const glob = !keyed && isGlob(name);
  const words = wordsOf(name);
  const rule = { tools: [name], except: [], ...(keyed && { keyed }) };
  return {
    name,
    glob,
    words,
    covers: (tool: ToolFacts) => ruleCovers(rule, tool),
    fits: (toolWords: string) => (glob ? nameMatches(words, toolWords) : words === toolWords),
  };
}

/** The words of a name, however they are joined: `issue_refund` for `issueRefund`. The signs of globs stay. */
function wordsOf(name: string): string {
  return name
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .replace(/[-_. ]+/g, "_")
    .toLowerCase();
}
