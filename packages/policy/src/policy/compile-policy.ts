import { hashCanonical } from "../shared/canonical-hash.js";
import { didYouMean } from "../shared/did-you-mean.js";
import { createEvaluator, type LayerDefault } from "./evaluate.js";
import { namedChannels } from "./named-channels.js";
import type { Policy } from "./policy.js";
import type { PolicyCall } from "./policy-call.js";
import { policyCounts } from "./policy-counts.js";
import { type CompiledRule, readsEffects, ruleCovers } from "./rules/compiled-rule.js";
import { markRule } from "./rules/mark-rule.js";
import { mcpRule } from "./rules/mcp-annotations.js";
import { otherSpellings } from "./rules/other-spelling.js";
import { questionRule } from "./rules/question-rule.js";
import { ProfileProblem, type Profiles, resolveProfiles } from "./rules/resolve-profiles.js";

/** Rules from one source (code or a file), ready to be joined with others. */
export interface PolicySource {
  rules: readonly CompiledRule[];
  defaults: readonly LayerDefault[];
  /** The profiles that each profile extends. */
  profiles: Readonly<Record<string, readonly string[]>>;
  trustedServers: readonly string[];
  /** The profile of calls for which the host sets none. */
  defaultProfile?: string | undefined;
  /** Input of the version hash: JSON, in which functions appear as source text. */
  material: unknown;
}

/**
 * Joins sources into one policy. Their order does not matter.
 * @throws ProfileProblem if a profile extends itself or an unknown profile, or if sources disagree on the default
 * profile.
 */
export function compilePolicy(sources: readonly PolicySource[]): Policy {
  const trustedServers = [...new Set(sources.flatMap((source) => source.trustedServers))].sort();
  const profiles = resolveProfiles(sources);
  const defaultProfile = resolveDefaultProfile(sources, profiles);
  const version = hashCanonical(
    JSON.parse(JSON.stringify(sources.map((source) => JSON.stringify(source.material)).sort())),
  );
  const rules = sources.flatMap((source) => source.rules);
  const defaults = sources.flatMap((source) => source.defaults);
  const { countsFor, countedIn } = policyCounts(rules);
  const { evaluate, explain } = createEvaluator({
    version,
    rules: [mcpRule(trustedServers), questionRule, markRule, ...rules],
    defaults,
    profiles,
    isCounted: (tool) => countedIn(tool).length > 0,
  });
  const inProfile = (call: PolicyCall): PolicyCall =>
    call.profile === undefined && defaultProfile !== undefined ? { ...call, profile: defaultProfile } : call;
  return {
    version,
    profiles: profiles.names,
    defaultProfile,
    covers: (tool) => rules.some((rule) => ruleCovers(rule, tool)),
    readsEffects: (tool, threadRules = []) =>
      [...rules, ...(threadRules as readonly CompiledRule[])].some(
        (rule) => ruleCovers(rule, tool) && readsEffects(rule),
      ) || defaults.some(({ verdict }) => verdict.withoutPreview !== undefined),
    countsFor,
    countedIn,
    otherSpelling: otherSpellings(rules),
    channels: () => namedChannels(rules, defaults),
    evaluate: (call) => evaluate(inProfile(call)),
    explain: (call) => ({ ...explain(inProfile(call)), policyVersion: version }),
  };
}

function resolveDefaultProfile(sources: readonly PolicySource[], { names }: Profiles): string | undefined {
  const named = [...new Set(sources.flatMap(({ defaultProfile }) => defaultProfile ?? []))].sort();
  const [name, other] = named;
  if (other !== undefined) {
    throw new ProfileProblem(
      "defaultProfile",
      `must be the same in all sources, but is ${named.join(" and ")}`,
    );
  }
  if (name !== undefined && !names.includes(name)) {
    const hint = didYouMean(name, names);
    throw new ProfileProblem("defaultProfile", `unknown profile "${name}"${hint}`);
  }
  return name;
}
