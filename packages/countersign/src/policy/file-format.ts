import type { PolicySource } from "./compile-policy.js";
import type { CompiledRule } from "./compiled-rule.js";
import { nearestWord, type PolicyProblem } from "./policy-problem.js";
import type { FieldPath, SourceDocument } from "./source-document.js";

/** The layers that files can be. Which of the two changes nothing: the strictest of all layers holds. */
export type FileLayer = "defaults" | "overrides";

/** What a format is given to make a source of. */
export interface FormatInput {
  document: SourceDocument;
  layer: FileLayer;
  /** Names of the tools that there are; left out, names are not checked. */
  toolNames?: readonly string[] | undefined;
}

/** What a format makes of a file. Notes are worth knowing and no reason to refuse. */
export type FormatOutput =
  | { ok: true; source: PolicySource; notes: PolicyProblem[] }
  | { ok: false; problems: PolicyProblem[] };

export interface FileFormat {
  /** True when a file is of this format by its shape. */
  recognises(value: object): boolean;
  read(input: FormatInput): FormatOutput;
}

/** True for a name that is read as a glob. */
export function isGlob(name: string): boolean {
  return /[*?[{(!+@]/.test(name);
}

/** Problems for exact names that no tool has, with the one that was probably meant. */
export function unknownTools(
  { document, toolNames }: FormatInput,
  names: readonly { name: string; path: FieldPath; where?: "key" | "value" }[],
): PolicyProblem[] {
  if (!toolNames) return [];
  return names
    .filter(({ name }) => !isGlob(name) && !toolNames.includes(name))
    .map(({ name, path, where }) => {
      const suggestion = nearestWord(name, toolNames) ?? `the tools are ${toolNames.join(", ") || "none"}`;
      return document.problem(path, `there is no tool "${name}"`, suggestion, where);
    });
}

/** A source; its version depends on what the file says and not on how its fields are ordered. */
export function sourceOf(
  layer: FileLayer,
  said: unknown,
  source: Partial<Omit<PolicySource, "material">> & { rules: readonly CompiledRule[] },
): PolicySource {
  return { defaults: [], profiles: {}, trustedServers: [], ...source, material: { layer, ...inOrder(said) } };
}

function inOrder(said: unknown): object {
  return JSON.parse(
    JSON.stringify(said, (_key, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    ),
  );
}
