import picomatch from "picomatch";
import type { Count } from "../counts.js";
import type { Layer, ToolFacts } from "../policy-call.js";
import type { Condition } from "./condition.js";
import type { Terms, VerdictKind } from "./rule.js";
import type { CodeRule } from "./verdict.js";

/** A rule ready for evaluation, with parsed condition. */
export interface CompiledRule {
  id: string;
  layer: Layer;
  /** Applies only with this profile, or one that extends it. */
  profile?: string;
  tools: readonly string[];
  except: readonly string[];
  /**
   * The tools are keys of another program: exact names, never globs, and a key `<server>_<tool>` also matches that
   * tool of an MCP server, whatever separator its name has here.
   */
  keyed?: true;
  /** The rule is a hint about unknown tools. If it tightens, the default applies as well. */
  hints?: true;
  effect:
    | { kind: "static"; verdict: VerdictKind; terms: Terms; when?: Condition }
    | { kind: "function"; decide: Exclude<CodeRule, { kind: VerdictKind }> };
}

const globOptions = { dot: true, nonegate: true, posix: true };

const matchers = new Map<string, (toolName: string) => boolean>();
const maxMatchers = 10_000;

/** Whether a name in a rule is a glob. */
export function isGlob(name: string): boolean {
  return /[*?[{(!+@]/.test(name);
}

/** Whether an exact name or glob matches the tool. Matchers are cached, since many rules share few globs. */
export function nameMatches(pattern: string, toolName: string): boolean {
  if (pattern === toolName) return true;
  if (!isGlob(pattern)) return false;
  let matches = matchers.get(pattern);
  if (!matches) {
    matches = compileGlob(pattern);
    if (matchers.size >= maxMatchers) matchers.clear();
    matchers.set(pattern, matches);
  }
  return matches(toolName);
}

/**
 * `*` matches anything. Tool names are not paths, so slashes, line breaks and the name `..`, which picomatch treats
 * specially, must not bypass a rule. Slashes and the start of the name are therefore hidden from picomatch. A glob
 * with slashes also matches as a path, where two stars and a slash may match nothing.
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

/** Whether the rule covers this tool. */
export function ruleCovers(
  { tools, except, keyed }: Pick<CompiledRule, "tools" | "except" | "keyed">,
  tool: ToolFacts,
): boolean {
  if (keyed) return tools.includes(tool.toolName) || tools.includes(keyOf(tool) ?? tool.toolName);
  const { toolName } = tool;
  return (
    tools.some((pattern) => nameMatches(pattern, toolName)) &&
    !except.some((pattern) => nameMatches(pattern, toolName))
  );
}

/** Whether the rule's verdict can depend on the effects of a call. A function is not looked into. */
export function readsEffects({ effect }: Pick<CompiledRule, "effect">): boolean {
  if (effect.kind === "function") return true;
  return effect.when?.readsEffects === true || effect.terms.withoutPreview !== undefined;
}

/** What the rule counts over time. */
export function countsOf({ effect }: Pick<CompiledRule, "effect">): readonly Count[] {
  return effect.kind === "function" ? [] : (effect.when?.counts ?? []);
}

/**
 * The key `<server>_<tool>` of an MCP server's tool. It is made from both names, since a key cannot be split: `a_b_c`
 * is the tool `c` of the server `a_b` and the tool `b_c` of the server `a`, and matches both.
 */
export function keyOf({ mcp }: ToolFacts): string | undefined {
  return mcp?.tool === undefined ? undefined : `${mcp.server}_${mcp.tool}`;
}
