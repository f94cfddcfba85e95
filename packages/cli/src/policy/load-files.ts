import type { FileLayer } from "@countersign/policy/internal/policy/files/file-format";
import {
  type JoinedPolicy,
  joinPolicyFiles,
} from "@countersign/policy/internal/policy/files/join-policy-files";
import { formatProblem, type PolicyProblem } from "@countersign/policy/internal/policy/files/policy-problem";
import { readPolicyFile } from "@countersign/policy/internal/policy/files/read-policy-file";
import type { ToolFacts } from "@countersign/policy/internal/policy/policy-call";
import type { CompiledRule } from "@countersign/policy/internal/policy/rules/compiled-rule";
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
