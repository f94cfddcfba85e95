import { nameOfThrown } from "../../shared/name-of-thrown.js";
import { compilePolicy, type PolicySource } from "../compile-policy.js";
import type { Policy } from "../policy.js";
import { ProfileProblem } from "../rules/resolve-profiles.js";
import type { ParsedPolicyFile } from "./policy-file.js";
import type { PolicyProblem } from "./policy-problem.js";

export type JoinedPolicy =
  | { ok: true; policy: Policy; notes: PolicyProblem[] }
  | { ok: false; problems: PolicyProblem[] };

/** Joins files and code sources into one policy, or returns all problems. Never throws. */
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
    if (!(error instanceof ProfileProblem)) return { ok: false, problems: [unusableFiles(error)] };
    const text = error.message.slice(error.field.length + 2);
    const placed = good.flatMap((file) => file.problemAt(error.field, text) ?? []);
    const nowhere = { file: "code", line: 1, column: 1, field: error.field, message: text, suggestion: null };
    return { ok: false, problems: placed.length > 0 ? placed : [nowhere] };
  }
}

/** An unexpected error must neither end the process nor put a partial policy in force. */
export function unusableFiles(error: unknown): PolicyProblem {
  const message = `the files cannot be compiled into a policy (${nameOfThrown(error)})`;
  return { file: "code", line: 1, column: 1, field: "", message, suggestion: null };
}
