import type { Tool } from "@inngest/agent-kit";
import { z } from "zod";
import { CountersignError } from "../errors.js";
import { compilePolicy, type PolicySource } from "./compile-policy.js";
import { type CompiledRule, ruleCovers } from "./compiled-rule.js";
import { didYouMean } from "./did-you-mean.js";
import type { CodeRule, Policy, PolicyCall } from "./policy.js";
import { profileName, termsSchema, verdictKinds } from "./rule.js";
import type { Verdict } from "./verdict.js";

type InputOf<T> = T extends { parameters?: infer P }
  ? NonNullable<P> extends z.ZodType
    ? z.output<NonNullable<P>>
    : unknown
  : unknown;
type NameOf<T> = T extends { name: infer N extends string } ? N : never;

/** A call whose arguments have the type that the tool's schema gives them. */
export interface TypedCall<Input> extends Omit<PolicyCall, "input"> {
  input: Input;
}

/** A rule for one tool: a verdict, or a pure function of the call. */
export type RuleFor<Input> = Verdict | ((call: TypedCall<Input>) => Verdict | undefined);

/** Rules by exact tool name or glob. With `agentTools`, exact names and their inputs are those of the tools. */
export type ToolRules<Tools extends readonly Tool.Any[]> =
  string extends NameOf<Tools[number]>
    ? Record<string, RuleFor<Record<string, unknown>>>
    : { [Name in NameOf<Tools[number]>]?: RuleFor<InputOf<Extract<Tools[number], { name: Name }>>> } & {
        [Glob in `${string}*${string}`]?: RuleFor<Record<string, unknown>>;
      };

export interface PolicyDefinition<Tools extends readonly Tool.Any[] = readonly Tool.Any[]> {
  /** The agent's tools: gives names and inputs their types, and finds typing errors in names. */
  agentTools?: Tools;
  tools: ToolRules<Tools>;
  /** For tools that no rule covers. Left out: `deny`, so that a tool nobody thought of never runs. */
  default?: Verdict;
  /** Named sets of further rules, bound by `guard(agent, { profile })`. They join the others: the strictest holds. */
  profiles?: Record<string, { extends?: string | string[]; tools: ToolRules<Tools> }>;
  mcp?: {
    /** MCP servers whose annotations may also loosen. */
    trustedServers?: string[];
  };
}

const codeVerdict = termsSchema.extend({ kind: z.enum(verdictKinds) });

/**
 * Makes a policy from rules in code. Where several rules match, the strictest holds, whatever their order.
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
export function definePolicy<const Tools extends readonly Tool.Any[] = readonly Tool.Any[]>(
  definition: PolicyDefinition<Tools>,
): Policy {
  try {
    return compilePolicy([codeSource(definition as unknown as PolicyDefinition)]);
  } catch (error) {
    if (CountersignError.isInstance(error)) throw error;
    throw invalid([error instanceof Error ? error.message : String(error)]);
  }
}

/** The rules of a definition, to be joined with those of files. */
export function codeSource(definition: PolicyDefinition): PolicySource {
  const problems: string[] = [];
  const names = definition.agentTools?.map((tool) => tool.name);
  const rulesOf = (tools: object, place: string, profile?: string): CompiledRule[] =>
    Object.entries(tools).flatMap(([pattern, rule]: [string, CodeRule | undefined]) => {
      if (rule === undefined) return [];
      const compiled = compileCodeRule(pattern, rule, place, profile, problems);
      if (!compiled) return [];
      if (names && !names.some((name) => ruleCovers(compiled, name)) && !/[*?[{(]/.test(pattern)) {
        problems.push(`${place}.${pattern}: none of agentTools has this name${didYouMean(pattern, names)}`);
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
  if (definition.default) problems.push(...verdictProblems(definition.default, "default"));
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
  const common = {
    id: `${place}.${pattern}`,
    layer: profile === undefined ? ("code" as const) : ("profile" as const),
    ...(profile === undefined ? {} : { profile }),
    tools: [pattern],
    except: [],
  };
  if (typeof rule === "function") return { ...common, says: { how: "code", decide: rule } };
  const wrong = verdictProblems(rule, `${place}.${pattern}`);
  problems.push(...wrong);
  if (wrong.length > 0) return undefined;
  const { kind, ...terms } = rule;
  return { ...common, says: { how: "fixed", verdict: kind, terms } };
}

function verdictProblems(verdict: unknown, place: string): string[] {
  const parsed = codeVerdict.strict().safeParse(verdict);
  if (parsed.success) return [];
  return parsed.error.issues.map(
    (issue) => `${[place, ...issue.path.map(String)].join(".")}: ${issue.message}`,
  );
}

/** Keys in order and functions as their source: a rule that changes changes the version. */
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
  return new CountersignError("invalid_policy", `The policy is wrong at ${problems.join("; ")}`, {
    detail: { problems },
  });
}
