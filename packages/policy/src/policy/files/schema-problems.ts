import * as z from "zod";
import { nearestWord, type PolicyProblem, quoted } from "./policy-problem.js";
import type { FieldPath, SourceDocument } from "./source-document.js";

type Issue = z.core.$ZodIssue;

/** Converts schema issues to problems with a location and, if a known word is close, a suggestion. */
export function schemaProblems(
  document: SourceDocument,
  schema: z.ZodType,
  error: z.ZodError,
): PolicyProblem[] {
  return error.issues
    .flatMap((issue) => leafIssues(issue))
    .flatMap((issue): PolicyProblem[] => {
      const { path } = issue;
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((key) =>
          document.problem([...path, key], "unknown field", unknownField(schema, [...path, key]), "key"),
        );
      }
      if (issue.code === "invalid_key") {
        const message = issue.issues[0]?.message ?? issue.message;
        return [document.problem(path, message, null, "key")];
      }
      const [message, suggestion] = inWords(issue, valueAt(document.value, path));
      return [document.problem(path, message, suggestion)];
    });
}

/** For a union, the issues of the alternative that the value is closest to. */
export function leafIssues(issue: Issue, base: FieldPath = []): Issue[] {
  const path = [...base, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return [{ ...issue, path } as Issue];
  const meant = issue.errors
    .filter((errors) => !errors.some((inner) => inner.code === "invalid_type" && inner.path.length === 0))
    .sort((a, b) => a.length - b.length)[0];
  if (meant) return meant.flatMap((inner) => leafIssues(inner, path));
  const expected = issue.errors.flatMap(([first]) =>
    first?.code === "invalid_type" ? [kinds(first.expected)] : [],
  );
  const message = ownMessage(issue) ?? `must be ${expected.join(" or ")}`;
  return [{ code: "custom", path, message, input: undefined } as Issue];
}

/** The schema's custom message. */
function ownMessage({ message }: Issue): string | undefined {
  return /^(Invalid|Too |Unrecognized)/.test(message) ? undefined : message;
}

function inWords(issue: Issue, value: unknown): [message: string, suggestion: string | null] {
  const own = ownMessage(issue);
  if (issue.code === "custom" && value === undefined && own?.startsWith("must be ")) {
    return ["is missing", own.replace("must be", "add")];
  }
  if (issue.code === "invalid_type") {
    const wanted = kinds(issue.expected);
    if (value === undefined) return ["is missing", `add ${wanted}`];
    return [own ?? `must be ${wanted}, not ${kindOf(value)}`, own ? null : asWanted(issue.expected, value)];
  }
  if (issue.code === "invalid_value") {
    const values = issue.values.map(String);
    const wanted = values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
    if (value === undefined) return ["is missing", `add ${values.join(" or ")}`];
    if (typeof value !== "string") return [own ?? wanted, null];
    if (values.includes(value)) return [`${wanted}, not text`, `write ${value} without quotes`];
    return [own ?? wanted, nearestWord(value.toLowerCase(), values)];
  }
  if (issue.code === "too_small" && Number(issue.minimum) === 1)
    return ["must not be empty", "add a value, or omit the field"];
  return [issue.message, null];
}

/** The value as it is to be written to have the wanted type. */
function asWanted(expected: string, value: unknown): string | null {
  if (expected === "boolean" && typeof value === "string") {
    if (/^(true|false)$/i.test(value)) return `write ${value.toLowerCase()} without quotes`;
    const meant = /^(y|yes|on)$/i.test(value) ? "true" : /^(n|no|off)$/i.test(value) ? "false" : undefined;
    return meant ? `in YAML 1.2 and JSON, ${value} is a text; write ${meant}` : null;
  }
  if (expected === "number" && /^-?\d+(\.\d+)?$/.test(String(value))) return `write ${value} without quotes`;
  const isScalar = typeof value === "number" || typeof value === "boolean";
  return expected === "string" && isScalar ? quoted(String(value)) : null;
}

/** Field names that other systems use for ours. */
const synonyms: Readonly<Record<string, string>> = {
  kind: "verdict",
  action: "verdict",
  effect: "verdict",
  if: "when",
  condition: "when",
  name: "id",
  defaultVerdict: "default",
  defaultAction: "default",
  tools: "rules",
  on: "tools",
};

/** What to do about a field that the schema does not have. */
export function unknownField(schema: z.core.$ZodType, path: FieldPath): string {
  const wrong = String(path.at(-1));
  const known = keysAt(schema, path.slice(0, -1));
  if (wrong === "checks") {
    return "checks are functions, so write them in code: ask({ checks: [...] }) in definePolicy, or withChecks(tool, [...])";
  }
  const synonym = Object.hasOwn(synonyms, wrong) ? synonyms[wrong] : undefined;
  if (synonym && known.includes(synonym)) return `did you mean "${synonym}"?`;
  return nearestWord(wrong, known) ?? `remove it, or use one of ${known.join(", ")}`;
}

function kinds(expected: string): string {
  const words: Record<string, string> = {
    object: "a set of fields",
    record: "a set of fields",
    array: "a list",
    boolean: "true or false",
    string: "text",
  };
  return words[expected] ?? `a ${expected}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a set of fields";
  return typeof value === "string" ? "text" : `${typeof value} ${String(value)}`;
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

/** The fields that a schema allows at a path. */
function keysAt(schema: z.core.$ZodType, path: FieldPath): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodPipe) return keysAt(schema.in, path);
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.options.flatMap((option) => keysAt(option, path)))];
  const [key, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (key === undefined) return Object.keys(schema.shape);
    const field = schema.shape[String(key)];
    return field ? keysAt(field, rest) : [];
  }
  if (key === undefined) return [];
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return keysAt(schema.valueType, rest);
  return [];
}
