import picomatch from "picomatch";
import type { Condition } from "./condition.js";
import type { CodeRule, Layer } from "./policy.js";
import type { Terms, VerdictKind } from "./rule.js";

/** A rule ready to be evaluated: its names compiled, its condition parsed. */
export interface CompiledRule {
  id: string;
  layer: Layer;
  /** Only with this profile, or one that extends it. */
  profile?: string;
  tools: readonly string[];
  except: readonly string[];
  /** It speaks of tools that it does not know; where it tightens, the default holds as well. */
  hints?: true;
  says:
    | { how: "fixed"; verdict: VerdictKind; terms: Terms; when?: { text: string; holds: Condition } }
    | { how: "code"; decide: Exclude<CodeRule, { kind: VerdictKind }> };
}

const globOptions = { dot: true, nonegate: true, posix: true };

const matchers = new Map<string, (toolName: string) => boolean>();
const mostMatchers = 10_000;

/** True when an exact name or glob means the tool. Matchers are kept, since many rules share few globs. */
export function nameMatches(pattern: string, toolName: string): boolean {
  if (pattern === toolName) return true;
  if (!/[*?[{(!+@]/.test(pattern)) return false;
  let matches = matchers.get(pattern);
  if (!matches) {
    matches = compileGlob(pattern);
    if (matchers.size >= mostMatchers) matchers.clear();
    matchers.set(pattern, matches);
  }
  return matches(toolName);
}

/**
 * A star stands for anything: a tool's name is no path, and neither a slash in it nor a line break nor the name `..`,
 * all of which the library treats apart, must slip past a rule. Hence slashes are hidden from it, and the beginning.
 * A glob with slashes also means what it means for paths, where two stars and a slash may stand for nothing.
 */
function compileGlob(pattern: string): (toolName: string) => boolean {
  const asName = picomatch.makeRe(`t${hideSlashes(pattern)}`, globOptions);
  const matches = (toolName: string) => asName.test(`t${hideSlashes(toolName)}`);
  if (!pattern.includes("/")) return matches;
  const asPath = picomatch(pattern, { ...globOptions, bash: true });
  return (toolName) => matches(toolName) || asPath(toolName);
}

function hideSlashes(text: string): string {
  return text.includes("/") ? text.replaceAll("/", "\uE000") : text;
}

/** True when the rule speaks of this tool at all. */
export function ruleCovers(rule: Pick<CompiledRule, "tools" | "except">, toolName: string): boolean {
  return (
    rule.tools.some((pattern) => nameMatches(pattern, toolName)) &&
    !rule.except.some((pattern) => nameMatches(pattern, toolName))
  );
}
