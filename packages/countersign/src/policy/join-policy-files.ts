import { compilePolicy, type PolicySource, ProfileProblem } from "./compile-policy.js";
import type { Policy } from "./policy.js";
import type { ParsedPolicyFile } from "./policy-file.js";
import type { PolicyProblem } from "./policy-problem.js";

export type JoinedPolicy =
  | { ok: true; policy: Policy; notes: PolicyProblem[] }
  | { ok: false; problems: PolicyProblem[] };

/** Makes one policy of files and of sources in code, or lists everything that is wrong with them. Never throws. */
export function joinPolicyFiles(
  files: readonly ParsedPolicyFile[],
  more: readonly PolicySource[] = [],
): JoinedPolicy {
  const problems = files.flatMap((file) => (file.ok ? [] : file.problems));
  if (problems.length > 0) return { ok: false, problems };
  const good = files.filter((file) => file.ok);
  try {
    const policy = compilePolicy([...good.map((file) => file.source), ...more]);
    return { ok: true, policy, notes: good.flatMap((file) => file.notes) };
  } catch (error) {
    if (!(error instanceof ProfileProblem)) throw error;
    const text = error.message.slice(error.field.length + 2);
    const placed = good.flatMap((file) => file.problemAt(error.field, text) ?? []);
    const nowhere = { file: "code", line: 1, column: 1, field: error.field, message: text, suggestion: null };
    return { ok: false, problems: placed.length > 0 ? placed : [nowhere] };
  }
}
