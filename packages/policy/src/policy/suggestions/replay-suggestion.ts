import { withPauses } from "../../shared/with-pauses.js";
import { diffCalls } from "../diff-calls.js";
import { joinPolicyFiles } from "../files/join-policy-files.js";
import { parsePolicyFile } from "../files/policy-file.js";
import { formatProblem } from "../files/policy-problem.js";
import type { PolicyText } from "../files/policy-text.js";
import type { Policy } from "../policy.js";
import type { DecidedCall } from "./decided-call.js";

/** The policy of the files, or its first problem. */
export function policyOf(files: readonly PolicyText[]): { policy: Policy } | { problem: string } {
  const joined = joinPolicyFiles(
    files.map(({ text, file, layer }) => parsePolicyFile(text, { file, layer })),
  );
  if (joined.ok) return { policy: joined.policy };
  return { problem: joined.problems.slice(0, 1).map(formatProblem).join() };
}

export interface Replayed {
  /** The calls that would get the suggested verdict instead of a decision. */
  changed: DecidedCall[];
  /** Whether anything else would change, such as the verdict on another tool or who decides. */
  changesMore: boolean;
}

/** Replays decided calls with the policy and a changed one. */
export async function replaySuggestion(
  live: Policy,
  candidate: Policy,
  calls: readonly DecidedCall[],
  { toolName, verdict }: { toolName: string; verdict: "notify" | "deny" },
): Promise<Replayed> {
  const byPlace = new Map(calls.map((decided, index) => [String(index), decided]));
  const { differences } = await diffCalls(live, candidate, pastCalls(calls));
  const ofSuggestion = differences.filter((found) => found.toolName === toolName && found.to === verdict);
  // A rule that notifies also does so of calls that ran without it. That takes no decision away.
  const expected = ofSuggestion.filter(({ from }) => from !== "allow" || verdict === "deny");
  return {
    changed: expected.flatMap(({ at }) => byPlace.get(at) ?? []),
    changesMore:
      ofSuggestion.length !== differences.length ||
      (verdict === "notify" && expected.some(({ from }) => from !== "ask")),
  };
}

async function* pastCalls(calls: readonly DecidedCall[]) {
  for await (const [index, { call }] of withPauses(calls.entries())) yield { at: String(index), call };
}
