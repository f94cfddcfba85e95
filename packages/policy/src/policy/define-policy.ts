import type * as z from "zod";
import { didYouMean } from "../shared/did-you-mean.js";
import { CountersignError } from "../shared/errors.js";
import { compilePolicy, type PolicySource } from "./compile-policy.js";
import { definitionProblems, isUncalled, verdictProblems } from "./definition-problems.js";
import type { Policy } from "./policy.js";
import type { PolicyCall } from "./policy-call.js";
import { type CompiledRule, ruleCovers } from "./rules/compiled-rule.js";
import { profileName } from "./rules/rule-schema.js";
import { negationProblem } from "./rules/tool-pattern.js";
import type { CodeRule, Verdict } from "./rules/verdict.js";
import type { ToolLike } from "./tool-facts.js";

/** The type of a tool's arguments, as passed to its handler. */
export type InputOf<T> = T extends { parameters?: infer P }
  ? NonNullable<P> extends z.ZodType
    ? z.output<NonNullable<P>>
    : unknown
  : unknown;
/** The name of a tool. */
export type NameOf<T> = T extends { name: infer N extends string } ? N : never;

/** A call whose arguments are typed by the tool's schema. */
export interface TypedCall<Input> extends Omit<PolicyCall, "input"> {
  input: Input;
}

/** A rule for one tool: a verdict, or a pure function of the call. */
export type RuleFor<Input> = Verdict | ((call: TypedCall<Input>) => Verdict | undefined);

/** Rules by exact tool name or glob. With `agentTools`, exact names and their inputs are typed. */
export type ToolRules<Tools extends readonly ToolLike[]> =
  string extends NameOf<Tools[number]>
    ? Record<string, RuleFor<Record<string, unknown>>>
    : { [Name in NameOf<Tools[number]>]?: RuleFor<InputOf<Extract<Tools[number], { name: Name }>>> } & {
        [Glob in `${string}*${string}`]?: RuleFor<Record<string, unknown>>;
      };

export interface PolicyDefinition<Tools extends readonly ToolLike[] = readonly ToolLike[]> {
  /** The agent's tools. They provide the types of names and inputs, and misspelled names are reported. */
  agentTools?: Tools;
  tools: ToolRules<Tools>;
  /** Verdict for tools that no rule covers. @default `deny`, so that a forgotten tool never runs */
  default?: Verdict;
  /** Named sets of additional rules, selected by `guard(agent, { profile })`. The strictest of all rules wins. */
  profiles?: Record<string, { extends?: string | string[]; tools: ToolRules<Tools> }>;
  mcp?: {
    /** MCP servers whose annotations may also loosen a verdict. */
    trustedServers?: string[];
  };
}

/**
 * Creates a policy from rules in code. If several rules match, the strictest wins, regardless of their order.
 *
 * @throws CountersignError `invalid_policy`, naming the rule and the field.
 *
 * @example
 * ```ts
 * import { createTool } from "@inngest/agent-kit";
 * import { allow, ask, definePolicy, deny } from "countersign";
 * import { z } from "zod";
 *
 * const refund = createTool({
 *   name: "issue_refund",
 *   parameters: z.object({ orderId: z.string(), amount: z.number() }),
 *   handler: () => "refunded",
 * });
 *
 * export const policy = definePolicy({
 *   agentTools: [refund],
 *   tools: {
 *     issue_refund: ({ input }) => (input.amount > 100 ? ask({ approvers: { roles: ["lead"] } }) : ask()),
 *     "lookup_*": allow(),
 *     "delete_*": deny("Customers are deleted by the data team only"),
 *   },
 * });
 * ```
 */
export function definePolicy<const Tools extends readonly ToolLike[] = readonly ToolLike[]>(
  definition: PolicyDefinition<Tools>,
): Policy {
  try {
    return compilePolicy([codeSource(definition as unknown as PolicyDefinition)]);
  } catch (error) {
    if (CountersignError.isInstance(error)) throw error;
    throw invalid([error instanceof Error ? error.message : String(error)]);
  }
}

/** Compiles the rules of a definition, to be joined with those of files. */
export function codeSource(definition: PolicyDefinition): PolicySource {
  const problems = definitionProblems(definition);
  if (problems.length > 0) throw invalid(problems);
  const names = definition.agentTools?.map((tool) => tool.name);
  const rulesOf = (tools: object, place: string, profile?: string): CompiledRule[] =>
    Object.entries(tools).flatMap(([pattern, rule]: [string, CodeRule | undefined]) => {
      if (rule === undefined) return [];
      const compiled = compileCodeRule(pattern, rule, place, profile, problems);
      if (!compiled) return [];
      if (
        names &&
        !names.some((toolName) => ruleCovers(compiled, { toolName })) &&
        !/[*?[{(]/.test(pattern)
      ) {
        problems.push(
          `${place}.${pattern}: no tool in agentTools has this name${didYouMean(pattern, names)}`,
        );
      }
      return [compiled];
    });

  const profiles: Record<string, string[]> = {};
  const rules = rulesOf(definition.tools, "tools");
  for (const [name, profile] of Object.entries(definition.profiles ?? {})) {
    const wrong = profileName.safeParse(name).error?.issues[0]?.message;
    if (wrong) problems.push(`profiles.${name}: ${wrong}`);
    profiles[name] = [profile.extends ?? []].flat();
    rules.push(...rulesOf(profile.tools, `profiles.${name}.tools`, name));
  }
  if (definition.default !== undefined) problems.push(...verdictProblems(definition.default, "default"));
  if (problems.length > 0) throw invalid(problems);
  return {
    rules,
    defaults: definition.default ? [{ layer: "code", verdict: definition.default }] : [],
    profiles,
    trustedServers: definition.mcp?.trustedServers ?? [],
    material: withSourceTexts({
      tools: definition.tools,
      default: definition.default,
      profiles: definition.profiles,
      mcp: definition.mcp,
    }),
  };
}

function compileCodeRule(
  pattern: string,
  rule: CodeRule,
  place: string,
  profile: string | undefined,
  problems: string[],
): CompiledRule | undefined {
  const negated = negationProblem(pattern);
  if (negated !== undefined) {
    problems.push(`${place}.${pattern}: ${negated}`);
    return undefined;
  }
  const common = {
    id: `${place}.${pattern}`,
    layer: profile === undefined ? ("code" as const) : ("profile" as const),
    ...(profile === undefined ? {} : { profile }),
    tools: [pattern],
    except: [],
  };
  if (typeof rule === "function" && !isUncalled(rule))
    return { ...common, effect: { kind: "function", decide: rule } };
  const wrong = verdictProblems(rule, `${place}.${pattern}`);
  problems.push(...wrong);
  if (wrong.length > 0) return undefined;
  const { kind, ...terms } = rule as Verdict;
  return { ...common, effect: { kind: "static", verdict: kind, terms } };
}

/** Sorts keys and replaces functions by their source text, so that every change of a rule changes the version. */
function withSourceTexts(value: unknown): unknown {
  if (typeof value === "function") return { function: String(value) };
  if (Array.isArray(value)) return value.map(withSourceTexts);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, withSourceTexts(item)]),
  );
}

function invalid(problems: readonly string[]): CountersignError {
  return new CountersignError("invalid_policy", `The policy is invalid: ${problems.join("; ")}`, {
    detail: { problems },
  });
}
