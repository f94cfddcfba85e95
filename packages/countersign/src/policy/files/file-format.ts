import type { PolicySource } from "../compile-policy.js";
import type { CompiledRule } from "../rules/compiled-rule.js";
import { nearestWord, type PolicyProblem } from "./policy-problem.js";
import type { FieldPath, SourceDocument } from "./source-document.js";

/** Layers of policy files. The choice does not affect verdicts, because the strictest layer wins. */
export type FileLayer = "defaults" | "overrides";

/** Input of a format reader. */
export interface FormatInput {
  document: SourceDocument;
  layer: FileLayer;
  /** Names of all tools. If omitted, names are not checked. */
  toolNames?: readonly string[] | undefined;
}

/** Result of reading a file. Notes are warnings that do not make the file invalid. */
export type FormatOutput =
  | { ok: true; source: PolicySource; notes: PolicyProblem[] }
  | { ok: false; problems: PolicyProblem[] };

export interface FileFormat {
  /** Whether a file has the shape of this format. */
  recognises(value: object): boolean;
  read(input: FormatInput): FormatOutput;
}

/** Whether a name is a glob. */
export function isGlob(name: string): boolean {
  return /[*?[{(!+@]/.test(name);
}

/** Reports exact names that match no tool, with a suggestion. */
export function unknownTools(
  { document, toolNames }: FormatInput,
  names: readonly { name: string; path: FieldPath; where?: "key" | "value" }[],
): PolicyProblem[] {
  if (!toolNames) return [];
  const known = new Set(toolNames);
  return names
    .filter(({ name }) => !isGlob(name) && !known.has(name))
    .map(({ name, path, where }) => {
      const suggestion = nearestWord(name, toolNames) ?? `the tools are ${toolNames.join(", ") || "none"}`;
      return document.problem(path, `unknown tool "${name}"`, suggestion, where);
    });
}

/** Creates a source. Its version does not depend on the order of the file's fields. */
export function sourceOf(
  layer: FileLayer,
  content: unknown,
  source: Partial<Omit<PolicySource, "material">> & { rules: readonly CompiledRule[] },
): PolicySource {
  return {
    defaults: [],
    profiles: {},
    trustedServers: [],
    ...source,
    material: { layer, ...inOrder(content) },
  };
}

function inOrder(content: unknown): object {
  return JSON.parse(
    JSON.stringify(content, (_key, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ),
  );
}
