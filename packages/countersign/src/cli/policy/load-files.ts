import type { FileLayer } from "../../policy/files/file-format.js";
import { type JoinedPolicy, joinPolicyFiles } from "../../policy/files/join-policy-files.js";
import { formatProblem, type PolicyProblem } from "../../policy/files/policy-problem.js";
import { readPolicyFile } from "../../policy/files/read-policy-file.js";
import type { ToolFacts } from "../../policy/policy-call.js";
import type { CompiledRule } from "../../policy/rules/compiled-rule.js";
import { type CliIo, type ExitCode, exitCodes, UsageError } from "../cli-io.js";

const layers: readonly FileLayer[] = ["defaults", "overrides"];

/** The layer of the first or second file. */
export function layerOf(index: number): FileLayer {
  return layers[index] ?? "overrides";
}

/** Loads a policy from up to two files: the defaults, then the overrides. */
export function loadFiles(files: readonly string[], tools?: readonly ToolFacts[]): JoinedPolicy {
  if (files.length > layers.length) {
    throw new UsageError(`pass at most two files, the defaults and the overrides; got ${files.length}`);
  }
  return joinPolicyFiles(files.map((file, index) => readPolicyFile({ file, layer: layers[index], tools })));
}

/** The rules of valid policy files. */
export function rulesOf(files: readonly string[]): CompiledRule[] {
  return files.flatMap((file, index) => {
    const parsed = readPolicyFile({ file, layer: layers[index] });
    return parsed.ok ? parsed.source.rules : [];
  });
}

/** Reports the problems of policy files as text or JSON. */
export function reportProblems(io: CliIo, problems: readonly PolicyProblem[], json: boolean): ExitCode {
  if (json) io.out(`${JSON.stringify({ ok: false, problems }, null, 2)}\n`);
  else for (const problem of problems) io.err(`${formatProblem(problem)}\n`);
  return exitCodes.failed;
}
