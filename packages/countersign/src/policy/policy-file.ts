import type { PolicySource } from "./compile-policy.js";
import type { FileFormat, FileLayer } from "./file-format.js";
import { evaluationProfilesFormat } from "./formats/evaluation-profiles.js";
import { nativeFormat } from "./formats/native.js";
import { toolApprovalsFormat } from "./formats/tool-approvals.js";
import type { PolicyProblem } from "./policy-problem.js";
import { readDocument } from "./source-document.js";

export interface PolicyFileOptions {
  /** How problems call the file. Ends it in `.json`, it must be JSON to the letter. */
  file: string;
  /** Left out: "defaults". */
  layer?: FileLayer | undefined;
  /** Names of the tools that there are, so that typing errors in exact names are found. */
  toolNames?: readonly string[] | undefined;
}

/** A policy file that can be used, or everything that is wrong with it. */
export type ParsedPolicyFile =
  | {
      ok: true;
      source: PolicySource;
      /** Worth knowing, and no reason to refuse. */
      notes: PolicyProblem[];
      /** A problem placed at a field that the file has; `undefined` where it has no such field. */
      problemAt(field: string, message: string): PolicyProblem | undefined;
    }
  | { ok: false; problems: PolicyProblem[] };

/** The first that recognises a file reads it; the native format takes what is left. */
const formats: readonly FileFormat[] = [evaluationProfilesFormat, toolApprovalsFormat, nativeFormat];

/**
 * Reads one policy file: Countersign's own format in JSON or YAML, a `tool-approvals.json`, or a configuration with
 * `evaluation.profiles`; the shape tells which. Never throws for what the text says.
 *
 * @example
 * ```ts
 * import { parsePolicyFile } from "countersign/policy";
 *
 * const parsed = parsePolicyFile("version: 1\nrules:\n  - { tools: 'delete_*', verdict: ask }", { file: "policy.yaml" });
 * if (!parsed.ok) console.error(parsed.problems);
 * ```
 */
export function parsePolicyFile(
  text: string,
  { file, layer, toolNames }: PolicyFileOptions,
): ParsedPolicyFile {
  const read = readDocument(text, file);
  if (!read.ok) return read;
  const { document } = read;
  const { value } = document;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const suggestion = 'begin with "version: 1" and "rules:"';
    return { ok: false, problems: [document.problem([], "a policy is a set of fields", suggestion)] };
  }
  const format = formats.find((candidate) => candidate.recognises(value)) ?? nativeFormat;
  const output = format.read({ document, layer: layer ?? "defaults", toolNames });
  if (!output.ok) return output;
  return {
    ...output,
    problemAt: (field, message) => {
      const paths = [field.split("."), ["evaluation", ...field.split(".")]];
      const path = paths.find((candidate) => document.has(candidate));
      return path && document.problem(path, message);
    },
  };
}
