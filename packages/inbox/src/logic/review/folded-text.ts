import type { JsonSchema } from "../arguments/json-schema.js";
import { maxLines, maxTextLength, valueKind } from "../arguments/value-kind.js";
import { shownLength, type TextPart, textParts } from "./visible-characters.js";

/** A long text folded in the middle. */
export interface Fold {
  beginning: TextPart[];
  end: TextPart[];
  /** The number of characters in between. */
  hidden: number;
}

const limits = { beginning: { length: 200, lines: 4 }, end: { length: 80, lines: 2 } };

/** The text of a value that is folded if it is long, or `undefined` if the value is never folded. */
export function foldableText(name: string, value: unknown, schema?: JsonSchema): string | undefined {
  const kind = valueKind(name, value, schema);
  if (kind !== "long" && kind !== "code" && kind !== "json") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** Folds a text. `undefined` if it is short. Invisible characters count as long as their labels. */
export function foldOf(text: string): Fold | undefined {
  const parts = textParts(text);
  const length = parts.reduce((sum, part) => sum + shownLength(part), 0);
  const lines = parts.reduce((sum, part) => sum + breaksIn(part), 1);
  if (length <= maxTextLength && lines <= maxLines) return undefined;
  const beginning = taken(parts, limits.beginning, "first");
  const end = taken(parts, limits.end, "last");
  const shown = [...beginning, ...end].reduce((sum, part) => sum + shownLength(part), 0);
  return { beginning, end, hidden: length - shown };
}

/** As many of the first or last parts as fit. A plain part is cut. */
function taken(
  parts: readonly TextPart[],
  { length, lines }: { length: number; lines: number },
  which: "first" | "last",
): TextPart[] {
  const found: TextPart[] = [];
  let left = length;
  let breaks = lines - 1;
  for (const part of which === "first" ? parts : [...parts].reverse()) {
    const fits = shownLength(part) <= left && breaksIn(part) <= breaks;
    if (fits) found.push(part);
    else {
      if (part.kind === "plain") found.push({ kind: "plain", text: pieceOf(part.text, left, breaks, which) });
      break;
    }
    left -= shownLength(part);
    breaks -= breaksIn(part);
  }
  return which === "first" ? found : found.reverse();
}

function pieceOf(text: string, length: number, breaks: number, which: "first" | "last"): string {
  const first = which === "first";
  // Do not cut a surrogate pair.
  const piece = first
    ? text.slice(0, length).replace(/[\ud800-\udbff]$/, "")
    : text.slice(text.length - length).replace(/^[\udc00-\udfff]/, "");
  const rows = piece.split("\n");
  return (first ? rows.slice(0, breaks + 1) : rows.slice(-breaks - 1)).join("\n");
}

function breaksIn(part: TextPart): number {
  return part.kind === "plain" ? part.text.split("\n").length - 1 : 0;
}
