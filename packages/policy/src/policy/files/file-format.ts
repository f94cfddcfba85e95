import type { PolicySource } from "../compile-policy.js";
import type { ToolFacts } from "../policy-call.js";
import { type CompiledRule, keyOf } from "../rules/compiled-rule.js";
import { isGlob } from "../rules/tool-pattern.js";
import { nearestWord, type PolicyProblem } from "./policy-problem.js";
import type { FieldPath, SourceDocument } from "./source-document.js";

/** Layers of policy files. The choice does not affect verdicts, because the strictest layer wins. */
export type FileLayer = "defaults" | "overrides";

/** Input of a format reader. */
export interface FormatInput {
  document: SourceDocument;
  layer: FileLayer;
  /** All tools. If omitted, names are not checked. */
  tools?: readonly ToolFacts[] | undefined;
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

/** Reports exact names that match no tool, with a suggestion. `keyed` as in {@link CompiledRule}. */
export function unknownTools(
  { document, tools }: FormatInput,
  names: readonly { name: string; path: FieldPath; where?: "key" | "value" }[],
  keyed = false,
): PolicyProblem[] {
  if (!tools) return [];
  const toolNames = tools.map(({ toolName }) => toolName);
  const known = new Set(toolNames);
  if (keyed) for (const tool of tools) known.add(keyOf(tool) ?? tool.toolName);
  return names
    .filter(({ name }) => !isGlob(name) && !known.has(name))
    .map(({ name, path, where }) => {
      const suggestion =
        (keyed && keyOfUnknownServer(name, tools)) ||
        (nearestWord(name, toolNames) ?? `the tools are ${toolNames.join(", ") || "none"}`);
      return document.problem(path, `unknown tool "${name}"`, suggestion, where);
    });
}

/** Explains a key that would match a tool if it belonged to an MCP server, which its name alone does not tell. */
export function keyOfUnknownServer(key: string, tools: readonly ToolFacts[]): string | undefined {
  for (const { toolName, mcp } of tools) {
    if (mcp) continue;
    for (const { index, 0: separator } of toolName.matchAll(/__|-/g)) {
      const server = toolName.slice(0, index);
      if (key === `${server}_${toolName.slice(index + separator.length)}`) {
        return `if "${toolName}" is a tool of the MCP server "${server}", the key matches it: add --mcp-server ${server}`;
      }
    }
  }
  return undefined;
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
