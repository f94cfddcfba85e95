import type { PolicySource } from "../compile-policy.js";
import { evaluationProfilesFormat } from "../formats/evaluation-profiles.js";
import { nativeFormat } from "../formats/native.js";
import { toolApprovalsFormat } from "../formats/tool-approvals.js";
import type { ToolFacts } from "../policy-call.js";
import type { FileFormat, FileLayer } from "./file-format.js";
import type { PolicyProblem } from "./policy-problem.js";
import { readDocument } from "./source-document.js";

export interface PolicyFileOptions {
  /** File name used in problems. If it ends in `.json`, the content must be strict JSON. */
  file: string;
  /** @default "defaults" */
  layer?: FileLayer | undefined;
  /** All tools, to find typos in exact names. */
  tools?: readonly ToolFacts[] | undefined;
}

/** A valid policy file, or all its problems. */
export type ParsedPolicyFile =
  | {
      ok: true;
      source: PolicySource;
      /** Warnings that do not make the file invalid. */
      notes: PolicyProblem[];
      /** Creates a problem at a field of the file; `undefined` if the file does not have the field. */
      problemAt(field: string, message: string): PolicyProblem | undefined;
    }
  | { ok: false; problems: PolicyProblem[] };

/** The first format that recognizes a file reads it; the native format is the fallback. */
const formats: readonly FileFormat[] = [evaluationProfilesFormat, toolApprovalsFormat, nativeFormat];

/**
 * Reads one policy file: Countersign's own format in JSON or YAML, a `tool-approvals.json`, or a configuration with
 * `evaluation.profiles`; the format is detected. Never throws for invalid content.
 *
 * @example
 * ```ts
 * import { parsePolicyFile } from "@countersign/policy/files";
 *
 * const parsed = parsePolicyFile("version: 1\nrules:\n  - { tools: 'delete_*', verdict: ask }", { file: "policy.yaml" });
 * if (!parsed.ok) console.error(parsed.problems);
 * ```
 */
export function parsePolicyFile(text: string, { file, layer, tools }: PolicyFileOptions): ParsedPolicyFile {
  const read = readDocument(text, file);
  if (!read.ok) return read;
  const { document } = read;
  const { value } = document;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const suggestion = 'begin with "version: 1" and "rules:"';
    return { ok: false, problems: [document.problem([], "a policy must be a set of fields", suggestion)] };
  }
  const format = formats.find((candidate) => candidate.recognises(value)) ?? nativeFormat;
  const output = format.read({ document, layer: layer ?? "defaults", tools });
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
