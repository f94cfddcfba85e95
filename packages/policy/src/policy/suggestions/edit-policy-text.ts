import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { newRuleLines } from "./new-rule-lines.js";

/** A change of a policy file: the condition of a rule, or a rule that is added to a list. */
export type PolicyEdit =
  | { kind: "condition"; list: readonly string[]; index: number; when: string }
  | {
      kind: "rule";
      list: readonly string[];
      /** The rule that it comes after; `undefined`: the last one. */
      after: number | undefined;
      rule: Readonly<Record<string, unknown>>;
      comment: string;
    };

interface Splice {
  from: number;
  to: number;
  text: string;
}

/**
 * Makes one change in the text of a YAML or JSON file and leaves everything else as it is: comments, order and layout.
 * `undefined` if the text is written in a way in which the change cannot be made so, such as with aliases.
 */
export function editPolicyText(text: string, edit: PolicyEdit): string | undefined {
  const document = parse(text);
  const list: unknown = edit.list.length > 0 ? document.getIn(edit.list, true) : undefined;
  if (!isSeq(list)) return undefined;
  const splice = edit.kind === "rule" ? insertRule(text, list, edit) : setCondition(text, list, edit);
  if (!splice) return undefined;
  const edited = text.slice(0, splice.from) + splice.text + text.slice(splice.to);
  return isDeepStrictEqual(parse(edited).toJS(), editedValue(document, edit)) ? edited : undefined;
}

function parse(text: string): Document {
  return parseDocument(text, { stringKeys: true, uniqueKeys: false, logLevel: "silent" });
}

/** What the text must mean after the change. JSON has no aliases, so a change at one place is none at another. */
function editedValue(document: Document, edit: PolicyEdit): unknown {
  const value: unknown = JSON.parse(JSON.stringify(document.toJS()));
  const rules: unknown = edit.list.reduce<unknown>((at, key) => Object(at)[key], value);
  if (!Array.isArray(rules)) return undefined;
  if (edit.kind === "condition") rules[edit.index] = { ...rules[edit.index], when: edit.when };
  else rules.splice((edit.after ?? rules.length - 1) + 1, 0, edit.rule);
  return value;
}

function setCondition(
  text: string,
  list: YAMLSeq,
  { index, when }: Extract<PolicyEdit, { kind: "condition" }>,
): Splice | undefined {
  const rule = list.items[index];
  if (!isMap(rule)) return undefined;
  const written = pairOf(rule, "when");
  if (written && isScalar(written.value) && written.value.range) {
    const [from, to] = written.value.range;
    const ending = text.slice(from, to).endsWith("\n") ? newlineOf(text) : "";
    return { from, to, text: quoted(when, isJson(rule)) + ending };
  }
  const before = pairOf(rule, "verdict") ?? pairOf(rule, "supervision");
  if (written || !before) return undefined;
  const end = endOf(before);
  if (end === undefined) return undefined;
  const name = isJson(rule) ? '"when"' : "when";
  const field = `${name}: ${quoted(when, isJson(rule))}`;
  if (rule.flow) return { from: end, to: end, text: `,${gapBefore(text, before)}${field}` };
  const at = nextLine(text, end);
  return {
    from: at,
    to: at,
    text: lineAt(text, at, `${" ".repeat(columnOf(text, startOf(before)))}${field}`),
  };
}

function insertRule(
  text: string,
  list: YAMLSeq,
  { after, rule, comment }: Extract<PolicyEdit, { kind: "rule" }>,
): Splice | undefined {
  const before: unknown = after === undefined ? list.items.at(-1) : list.items[after];
  if (before === undefined) {
    const [from = 0, to = 0] = list.range ?? [];
    return list.flow && list.items.length === 0 ? { from, to, text: `[${JSON.stringify(rule)}]` } : undefined;
  }
  const end = endOfNode(before);
  const start = rangeOf(before)?.[0];
  if (end === undefined || start === undefined) return undefined;
  if (list.flow) {
    const gap = onOwnLine(text, start) ? newlineOf(text) + " ".repeat(columnOf(text, start)) : " ";
    return { from: end, to: end, text: `,${gap}${JSON.stringify(rule)}` };
  }
  const at = nextLine(text, end);
  const dash = text.lastIndexOf("-", start);
  const indent = " ".repeat(columnOf(text, dash));
  const lines = newRuleLines(rule, comment).map((line) => indent + line);
  return { from: at, to: at, text: lineAt(text, at, lines.join(newlineOf(text))) };
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

/** In a JSON file, names are in quotation marks. */
function isJson(map: YAMLMap): boolean {
  const key = map.items[0]?.key;
  return map.flow === true && isScalar(key) && key.type === "QUOTE_DOUBLE";
}

/** A text as the value of a field. */
export function quoted(text: string, json: boolean): string {
  return json || /[^\x20-\x7e]/.test(text) ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as { range?: readonly number[] | null } | null)?.range ?? undefined;
}

function startOf({ key }: Pair): number {
  return rangeOf(key)?.[0] ?? 0;
}

function endOf({ key, value }: Pair): number | undefined {
  return endOfNode(value) ?? rangeOf(key)?.[1];
}

/** Where a node ends, without the comments and blank lines that the parser counts as its own. */
function endOfNode(node: unknown): number | undefined {
  if (!isCollection(node) || node.flow) return rangeOf(node)?.[1];
  if (isMap(node)) {
    const last = node.items.at(-1);
    return last && endOf(last);
  }
  return endOfNode(node.items.at(-1));
}

function newlineOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** The start of the line after a position; the position itself if it is the start of a line. */
function nextLine(text: string, position: number): number {
  if (text[position - 1] === "\n") return position;
  const end = text.indexOf("\n", position);
  return end < 0 ? text.length : end + 1;
}

/** Lines to insert at the start of a line, or at the end of a text without a last line break. */
function lineAt(text: string, position: number, lines: string): string {
  const newline = newlineOf(text);
  return position > 0 && text[position - 1] !== "\n" ? newline + lines : lines + newline;
}

function columnOf(text: string, position: number): number {
  return position - (text.lastIndexOf("\n", position - 1) + 1);
}

function onOwnLine(text: string, position: number): boolean {
  return text.slice(position - columnOf(text, position), position).trim() === "";
}

/** A space, or a line break if each field has its own line. */
function gapBefore(text: string, pair: Pair): string {
  const start = startOf(pair);
  return onOwnLine(text, start) ? newlineOf(text) + " ".repeat(columnOf(text, start)) : " ";
}
