import type { Policy } from "countersign";

/** A policy that `redeploy()` replaces and that still knows its earlier versions. */
export function replaceable(first: Policy) {
  const deployed = [first];
  const now = () => deployed.at(-1) as Policy;
  const policy: Policy = {
    get version() {
      return now().version;
    },
    evaluate: (call) => now().evaluate(call),
    explain: (call) => now().explain(call),
    readsEffects: (...tool) => now().readsEffects?.(...tool) ?? true,
    countsFor: (tool) => now().countsFor?.(tool) ?? [],
    countedIn: (tool) => now().countedIn?.(tool) ?? [],
    at: (version) => deployed.find((candidate) => candidate.version === version),
    profiles: [],
  };
  return { policy, redeploy: (next: Policy) => deployed.push(next) };
}
