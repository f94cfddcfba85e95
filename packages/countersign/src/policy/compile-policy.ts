import { hashCanonical } from "../approval/digest.js";
import type { CompiledRule } from "./compiled-rule.js";
import { didYouMean } from "./did-you-mean.js";
import { createEvaluator, type LayerDefault } from "./evaluate.js";
import { mcpRule } from "./mcp-annotations.js";
import type { Policy, PolicyCall } from "./policy.js";
import { questionRule } from "./question-rule.js";

/** Rules from one place, code or a file, ready to be joined with others. */
export interface PolicySource {
  rules: readonly CompiledRule[];
  defaults: readonly LayerDefault[];
  /** What each profile extends. */
  profiles: Readonly<Record<string, readonly string[]>>;
  trustedServers: readonly string[];
  /** The profile of calls whose host named none. */
  defaultProfile?: string | undefined;
  /** What the version is a hash of; JSON, in which a function is its source text. */
  material: unknown;
}

/** Profiles that do not fit together, over all sources; `field` says where. */
export class ProfileProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(`${field}: ${message}`);
  }
}

/**
 * Joins sources into one policy. The order of the sources changes nothing.
 * @throws ProfileProblem when a profile extends itself or one that does not exist, or when the default is in doubt.
 */
export function compilePolicy(sources: readonly PolicySource[]): Policy {
  const trustedServers = [...new Set(sources.flatMap((source) => source.trustedServers))].sort();
  const profiles = resolveProfiles(sources);
  const defaultProfile = resolveDefaultProfile(sources, profiles);
  const version = hashCanonical(
    JSON.parse(JSON.stringify(sources.map((source) => JSON.stringify(source.material)).sort())),
  );
  const { evaluate, explain } = createEvaluator({
    version,
    rules: [mcpRule(trustedServers), questionRule, ...sources.flatMap((source) => source.rules)],
    defaults: sources.flatMap((source) => source.defaults),
    profiles,
  });
  const inProfile = (call: PolicyCall): PolicyCall =>
    call.profile === undefined && defaultProfile !== undefined ? { ...call, profile: defaultProfile } : call;
  return {
    version,
    profiles: [...profiles.keys()],
    defaultProfile,
    evaluate: (call) => evaluate(inProfile(call)),
    explain: (call) => ({ ...explain(inProfile(call)), policyVersion: version }),
  };
}

function resolveDefaultProfile(
  sources: readonly PolicySource[],
  profiles: ReadonlyMap<string, unknown>,
): string | undefined {
  const named = [...new Set(sources.flatMap(({ defaultProfile }) => defaultProfile ?? []))].sort();
  const [name, other] = named;
  if (other !== undefined) {
    throw new ProfileProblem("defaultProfile", `must be the same everywhere, and is ${named.join(" and ")}`);
  }
  if (name !== undefined && !profiles.has(name)) {
    const hint = didYouMean(name, [...profiles.keys()]);
    throw new ProfileProblem("defaultProfile", `there is no profile "${name}"${hint}`);
  }
  return name;
}

/** Each profile with everything that it extends, directly or not. */
function resolveProfiles(sources: readonly PolicySource[]): Map<string, readonly string[]> {
  const direct = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const [name, parents] of Object.entries(source.profiles)) {
      const known = direct.get(name) ?? new Set();
      for (const parent of parents) known.add(parent);
      direct.set(name, known);
    }
  }
  const names = [...direct.keys()];
  const expand = (name: string, path: readonly string[]): string[] => {
    if (path.includes(name)) {
      throw new ProfileProblem(
        `profiles.${path[0]}.extends`,
        `the profiles extend each other in a circle: ${[...path, name].join(" → ")}`,
      );
    }
    const parents = direct.get(name);
    if (!parents) {
      const hint = didYouMean(name, names);
      throw new ProfileProblem(`profiles.${path.at(-1)}.extends`, `there is no profile "${name}"${hint}`);
    }
    return [name, ...[...parents].flatMap((parent) => expand(parent, [...path, name]))];
  };
  return new Map(names.map((name) => [name, [...new Set(expand(name, []))]]));
}
