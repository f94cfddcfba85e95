import type { Count } from "../counts.js";
import type { Layer, ToolFacts } from "../policy-call.js";
import type { Condition } from "./condition.js";
import type { VerdictKind } from "./rule.js";
import type { Terms } from "./terms.js";
import { nameMatches } from "./tool-pattern.js";
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
