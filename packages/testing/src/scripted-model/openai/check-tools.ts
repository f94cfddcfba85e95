import { refuse } from "./refuse.js";
import type { OpenAiRequest } from "./request.js";

/** Keywords that structured outputs do not take. */
const notPermitted = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "patternProperties",
  "propertyNames",
];

/**
 * Checks what the provider checks of a tool's JSON schema. `strict` asks for closed objects whose properties are all
 * required, which clients that always send `strict: true` break with their first optional parameter.
 */
export function checkTools(tools: OpenAiRequest["tools"]): void {
  for (const [index, { function: tool }] of (tools ?? []).entries()) {
    if (tool.parameters === undefined) continue;
    const fail = (problem: string) =>
      refuse(
        `Invalid schema for function '${tool.name}': ${problem}`,
        `tools[${index}].function.parameters`,
        "invalid_function_parameters",
      );
    const type = tool.parameters.type;
    if (type !== "object") {
      const got = type === undefined ? "None" : String(type);
      throw fail(`schema must be a JSON Schema of 'type: "object"', got 'type: "${got}"'.`);
    }
    if (tool.strict) {
      const problem = strictProblem(tool.parameters, []);
      if (problem) throw fail(problem);
    }
  }
}

function strictProblem(schema: unknown, path: string[]): string | undefined {
  if (!isRecord(schema)) return undefined;
  const context = `In context=(${path.map((key) => `'${key}'`).join(", ")})`;
  const keyword = notPermitted.find((name) => name in schema);
  if (keyword) return `${context}, '${keyword}' is not permitted.`;
  if (isRecord(schema.properties)) {
    const required = Array.isArray(schema.required) ? schema.required : [];
    const optional = Object.keys(schema.properties).find((key) => !required.includes(key));
    if (optional !== undefined) {
      return `${context}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${optional}'.`;
    }
  }
  if (schema.type === "object" && schema.additionalProperties !== false) {
    return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
  }
  return children(schema, path)
    .map(([child, at]) => strictProblem(child, at))
    .find((problem) => problem !== undefined);
}

function children(schema: Record<string, unknown>, path: string[]): [unknown, string[]][] {
  const found: [unknown, string[]][] = [];
  for (const key of ["properties", "$defs", "definitions"]) {
    const group = schema[key];
    if (!isRecord(group)) continue;
    for (const [name, child] of Object.entries(group)) found.push([child, [...path, key, name]]);
  }
  if (schema.items !== undefined) found.push([schema.items, [...path, "items"]]);
  if (Array.isArray(schema.anyOf)) {
    for (const [index, child] of schema.anyOf.entries())
      found.push([child, [...path, "anyOf", String(index)]]);
  }
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
