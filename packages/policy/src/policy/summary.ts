import * as z from "zod";
import { type ArgumentNames, argumentName } from "../display/argument-name.js";
import type { CallWords } from "../display/count-text.js";
import { numberText } from "../display/number-text.js";
import { nameAt, type SummaryPart, summaryText } from "../display/summary-part.js";
import { visibleLine, visibleText } from "../display/visible-text.js";
import { hiddenValue } from "../redaction/hidden-text.js";
import { canonicalJson } from "../shared/canonical-json.js";
import { ownField } from "../shared/value-at-path.js";

const maxValue = 60;
const maxQuestion = 140;
const maxName = 120;
const maxSummary = 300;
const maxPath = 300;
const maxArguments = 3;

/** The one-sentence summary of a call, as plain text and in parts that separate our text from argument values. */
export interface Summary {
  text: string;
  parts: SummaryPart[];
}

/** A call, and what its rules call it and its arguments. */
type Named = Pick<CallWords, "toolName"> & Partial<CallWords>;

/**
 * Renders a rule's template, or a default summary with the tool and its most important arguments. The same for the same
 * values, in whatever order their keys were written: an engine sorts them, so a replay would otherwise say something else.
 *
 * @param inputSchemaJson The tool's schema, in whose order a default summary names arguments. @default by name
 */
export function summaryOf(
  template: string | null | undefined,
  call: Named,
  input: unknown,
  inputSchemaJson: string | null = null,
): Summary {
  return template ? renderSummary(template, input) : defaultSummary(call, input, inputSchemaJson);
}

/** Also matches quotation marks around a field, because values are quoted when displayed. */
const field = /(["“„«'‘]?)\{\{\s*([^{}]*?)\s*\}\}(["”“»'’]?)/g;

/**
 * Fills a template with `{{field.path}}` placeholders from the call's actual arguments. The result is safe to
 * display, without invisible or text-reordering characters. At most 300 characters; each value is cut to its first
 * line and 60 characters.
 */
export function renderSummary(template: string, input: unknown): Summary {
  return fillTemplate(template, (path) => shownField(input, path));
}

/**
 * The same for a sentence about a result: `{{result.path}}` reads the result, all other placeholders the arguments that
 * ran.
 */
export function renderResultSummary(template: string, input: unknown, result: unknown): Summary {
  return fillTemplate(template, (path) => {
    const [first] = path.split(".", 1);
    return shownField(first === "result" ? { result } : input, path);
  });
}

/** A question to a person as its summary: nothing but its first line, as a value. */
export function questionSummary(message: string): Summary {
  return cutToLength([valuePart(message, "message", maxQuestion)]);
}

/** The same sentence with the values of other arguments. A part that says something else than the value at its path stays. */
export function summaryWith(parts: readonly SummaryPart[], before: unknown, after: unknown): Summary {
  const partAt = (input: unknown, path: string): SummaryPart => {
    const found = shownField(input, path);
    return found.found ? valuePart(found.value, path) : ours("(missing)");
  };
  return cutToLength(
    parts.map((part) => {
      if ("text" in part) return part;
      const old = partAt(before, part.path);
      return "value" in old && old.value === part.value ? partAt(after, part.path) : part;
    }),
  );
}

type Field = ReturnType<typeof ownField>;

/** Like `ownField`, but everything within a hidden value is hidden, not missing. */
function shownField(value: unknown, path: string): Field {
  const keys = path.split(".");
  for (const length of keys.keys()) {
    const outer = length === 0 ? { found: true, value } : ownField(value, keys.slice(0, length).join("."));
    if (outer.found && outer.value === hiddenValue) return { found: true, value: hiddenValue };
  }
  return ownField(value, path);
}

function fillTemplate(template: string, read: (path: string) => Field): Summary {
  const parts: SummaryPart[] = [];
  let at = 0;
  for (const { 0: whole, 1: before = "", 2: path = "", 3: after = "", index } of template.matchAll(field)) {
    const quoted = before !== "" && after !== "";
    parts.push(ours(template.slice(at, index) + (quoted ? "" : before)));
    const found = read(path);
    parts.push(found.found ? valuePart(found.value, path) : ours("(missing)"));
    if (!quoted) parts.push(ours(after));
    at = index + whole.length;
  }
  return cutToLength([...parts, ours(template.slice(at))]);
}

/**
 * The summary of a call without a template: its label or tool, and its most important arguments. Arguments that fit into a line
 * come first; if there are at least two of them, the others are only counted.
 */
export function defaultSummary(
  { toolName, label = null, names = {} }: Named,
  input: unknown,
  inputSchemaJson: string | null = null,
): Summary {
  const name = ours(label ?? toolName, maxName);
  const entries = entriesInOrder(input, inputSchemaJson);
  if (entries.length === 0) return cutToLength([name, ours(label === null ? " without arguments" : "")]);
  const short = entries.filter(([, value]) => isShort(value));
  const others = short.length < 2 ? entries.filter(([, value]) => !isShort(value)) : [];
  const chosen = [...short, ...others].slice(0, maxArguments);
  const pieces = chosen.flatMap(([key, value], index) => [
    ours(index > 0 ? ", " : label === null ? " with " : ": "),
    ...namePart(key, names),
    ours(label === null ? ": " : " "),
    valuePart(value, key),
  ]);
  const left = entries.length - chosen.length;
  return cutToLength([name, ...pieces, ours(left > 0 ? ` and ${left} more` : "")]);
}

const schemaWithFields = z.object({ properties: z.record(z.string(), z.unknown()) });

/** The arguments in the order of the tool's schema, and after them those that it does not name, by name. */
function entriesInOrder(input: unknown, inputSchemaJson: string | null): [string, unknown][] {
  if (typeof input !== "object" || input === null) return [];
  const { data } = schemaWithFields.safeParse(JSON.parse(inputSchemaJson ?? "null"));
  const places = new Map(Object.keys(data?.properties ?? {}).map((key, at) => [key, at]));
  const place = (key: string) => places.get(key) ?? places.size;
  return Object.entries(input).sort(([one], [other]) => place(one) - place(other) || (one < other ? -1 : 1));
}

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= maxValue && !/[\r\n]/.test(value);
  return typeof value !== "object" || value === null;
}

function ours(text: string, max = maxSummary): SummaryPart {
  return { text: visibleText(text, max) };
}

function namePart(key: string, names: ArgumentNames): SummaryPart[] {
  const name = argumentName([key], names);
  if (name !== undefined) return [ours(name, maxName)];
  // The model may have invented the key.
  return [/^[\w-]{1,60}$/.test(key) ? { text: key } : valuePart(key, key)];
}

function valuePart(value: unknown, path: string, max = maxValue): SummaryPart {
  const text =
    typeof value === "string"
      ? value
      : typeof value === "number"
        ? numberText(nameAt(path), value)
        : asJson(value);
  const { shown, cut } = visibleLine(text, max);
  return { value: shown, path: visibleText(path, maxPath), ...(cut && { cut }) };
}

function asJson(value: unknown): string {
  try {
    return canonicalJson(value) ?? "(missing)";
  } catch {
    return "(unreadable)";
  }
}

/** Merges adjacent text parts, drops empty ones, and truncates the summary to its maximum length. */
function cutToLength(given: readonly SummaryPart[]): Summary {
  const parts: SummaryPart[] = [];
  for (const part of given) {
    const last = parts.at(-1);
    if ("text" in part && last && "text" in last) last.text += part.text;
    else if (!("text" in part) || part.text !== "") parts.push({ ...part });
  }
  for (let text = summaryText(parts); text.length > maxSummary; text = summaryText(parts)) {
    const last = parts.pop();
    const room = maxSummary - summaryText(parts).length;
    if (last && "text" in last && room > 0) parts.push({ text: visibleText(last.text, room) });
    else if (room > 0) parts.push({ text: "…" });
  }
  return { text: summaryText(parts), parts };
}
