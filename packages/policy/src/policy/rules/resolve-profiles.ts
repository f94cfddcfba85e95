import { didYouMean } from "../../shared/did-you-mean.js";

/** Inconsistent profiles across all sources. `field` is the location. */
export class ProfileProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(`${field}: ${message}`);
  }
}

/** The profiles of a policy and their parents. */
export interface Profiles {
  readonly names: readonly string[];
  /** A profile with all profiles that it extends, directly or indirectly; `undefined` if it does not exist. */
  withParents(name: string): ReadonlySet<string> | undefined;
}

/**
 * Joins the profiles of several sources, in linear time and without recursion: thousands of profiles may extend each
 * other.
 *
 * @throws ProfileProblem if a profile extends itself or an unknown profile.
 */
export function resolveProfiles(
  sources: readonly { profiles: Readonly<Record<string, readonly string[]>> }[],
): Profiles {
  const parents = new Map<string, Set<string>>();
  for (const source of sources) {
    for (const [name, extended] of Object.entries(source.profiles)) {
      const known = parents.get(name) ?? new Set();
      for (const parent of extended) known.add(parent);
      parents.set(name, known);
    }
  }
  const names = [...parents.keys()];
  rejectUnknown(parents, names);
  rejectCycles(parents);
  const resolved = new Map<string, ReadonlySet<string>>();
  return {
    names,
    withParents(name) {
      const known = resolved.get(name);
      if (known || !parents.has(name)) return known;
      const all = new Set([name]);
      // Iterating a Set visits items added during the iteration.
      for (const each of all) for (const parent of parents.get(each) ?? []) all.add(parent);
      resolved.set(name, all);
      return all;
    },
  };
}

type Parents = ReadonlyMap<string, ReadonlySet<string>>;

function rejectUnknown(parents: Parents, names: readonly string[]): void {
  for (const [name, extended] of parents) {
    for (const parent of extended) {
      if (parents.has(parent)) continue;
      const hint = didYouMean(parent, names);
      throw new ProfileProblem(`profiles.${name}.extends`, `unknown profile "${parent}"${hint}`);
    }
  }
}

const maxShown = 10;

function rejectCycles(parents: Parents): void {
  const acyclic = new Set<string>();
  for (const first of parents.keys()) {
    // The path from this profile to the current one, each with its unvisited parents.
    const path: { name: string; rest: Iterator<string> }[] = [];
    const onPath = new Set<string>();
    const enter = (name: string) => {
      path.push({ name, rest: (parents.get(name) ?? new Set<string>()).values() });
      onPath.add(name);
    };
    if (!acyclic.has(first)) enter(first);
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const next = at.rest.next();
      if (next.done) {
        path.pop();
        onPath.delete(at.name);
        acyclic.add(at.name);
      } else if (onPath.has(next.value)) {
        throw cycle([...onPath], next.value);
      } else if (!acyclic.has(next.value)) {
        enter(next.value);
      }
    }
  }
}

function cycle(path: readonly string[], closing: string): ProfileProblem {
  const names = path.slice(path.indexOf(closing));
  const shown = names.length > maxShown ? [...names.slice(0, maxShown), "…"] : names;
  return new ProfileProblem(
    `profiles.${closing}.extends`,
    `profiles extend each other in a cycle: ${[...shown, closing].join(" → ")}`,
  );
}
