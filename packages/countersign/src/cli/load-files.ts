import type { FileLayer } from "../policy/file-format.js";
import { type JoinedPolicy, joinPolicyFiles } from "../policy/join-policy-files.js";
import { formatProblem, type PolicyProblem } from "../policy/policy-problem.js";
import { readPolicyFile } from "../policy/read-policy-file.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "./cli-io.js";

const layers: readonly FileLayer[] = ["defaults", "overrides"];

/** One policy of up to two files: the first is the defaults, the second the overrides. */
export function loadFiles(files: readonly string[], toolNames?: readonly string[]): JoinedPolicy {
  if (files.length > layers.length) {
    throw new UsageError(`give at most two files, the defaults and the overrides; there are ${files.length}`);
  }
  return joinPolicyFiles(
    files.map((file, index) => readPolicyFile({ file, layer: layers[index], toolNames })),
  );
}

/** Tells what is wrong with files, for people or as JSON. */
export function reportProblems(io: CliIo, problems: readonly PolicyProblem[], json: boolean): ExitCode {
  if (json) io.out(`${JSON.stringify({ ok: false, problems }, null, 2)}\n`);
  else for (const problem of problems) io.err(`${formatProblem(problem)}\n`);
  return exitCodes.found;
}
