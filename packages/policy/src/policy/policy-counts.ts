import type { Count, Series } from "./counts.js";
import type { ToolFacts } from "./policy-call.js";
import { type CompiledRule, countsOf, ruleCovers } from "./rules/compiled-rule.js";
import { nameMatches } from "./rules/tool-pattern.js";

const maxRemembered = 10_000;

/** Which counts a policy reads for a tool's calls, and in which series it counts them. Both are remembered by tool. */
export function policyCounts(rules: readonly CompiledRule[]) {
  const counting = rules.filter((rule) => countsOf(rule).length > 0);
  const all = bySeries(counting.flatMap(countsOf));
  return {
    countsFor: remembered((tool) =>
      byText(counting.filter((rule) => ruleCovers(rule, tool)).flatMap(countsOf)),
    ),
    countedIn: remembered(({ toolName }): readonly Series[] =>
      all.filter(({ tool }) => nameMatches(tool, toolName)),
    ),
  };
}

function remembered<T>(find: (tool: ToolFacts) => readonly T[]): (tool: ToolFacts) => readonly T[] {
  const known = new Map<string, readonly T[]>();
  return (tool) => {
    const { toolName, mcp } = tool;
    const name = JSON.stringify([toolName, mcp?.server, mcp?.tool]);
    const found = known.get(name) ?? find(tool);
    if (known.size >= maxRemembered) known.clear();
    known.set(name, found);
    return found;
  };
}

/** One of each text, with the lowest limit that a rule sets. */
function byText(counts: readonly Count[]): Count[] {
  const found = new Map<string, Count>();
  for (const count of counts) {
    const known = found.get(count.text);
    const limits = [known?.limit, count.limit].filter((limit) => limit != null);
    found.set(count.text, { ...count, limit: limits.length > 0 ? Math.min(...limits) : null });
  }
  return [...found.values()];
}

function bySeries(counts: readonly Count[]): Series[] {
  const series = counts.map(({ tool, amount, per }): Series => ({ tool, amount, per }));
  return [...new Map(series.map((one) => [JSON.stringify([one.tool, one.amount, one.per]), one])).values()];
}
