import {
  charactersText,
  inQuotes,
  type MarkKind,
  markLabel,
  type TextMark,
  textMarks,
} from "@countersign/policy/display";

import { words } from "../../words/words.js";

/** Part of a displayed text. */
export type TextPart =
  | { kind: "plain"; text: string }
  /** Replaces invisible characters. */
  | { kind: "label"; label: string; words: string }
  /** A look-alike word, with a note beside it. */
  | { kind: "impostor"; parts: TextPart[]; note: string };

const impostors: ReadonlySet<MarkKind> = new Set([
  "mixed_script",
  "look_alike",
  "compatibility",
  "foreign_digits",
]);

/** Splits a text into parts so that invisible characters get labels and look-alike words get notes. */
export function textParts(text: string): TextPart[] {
  const lines = text.replace(/\r\n/g, "\n");
  return partsBetween(lines, textMarks(lines), 0, lines.length);
}

function partsBetween(text: string, marks: readonly TextMark[], from: number, to: number): TextPart[] {
  const parts: TextPart[] = [];
  let at = from;
  for (const [index, mark] of marks.entries()) {
    if (mark.start < at) continue;
    if (mark.start > at) parts.push({ kind: "plain", text: text.slice(at, mark.start) });
    if (impostors.has(mark.kind)) {
      let after = index + 1;
      while ((marks[after]?.start ?? mark.end) < mark.end) after += 1;
      parts.push({
        kind: "impostor",
        parts: partsBetween(text, marks.slice(index + 1, after), mark.start, mark.end),
        note:
          mark.looksLike === undefined
            ? words.values.mixedAlphabets
            : words.values.looksLike(inQuotes(mark.looksLike, words.display)),
      });
    } else {
      parts.push({
        kind: "label",
        label: markLabel(mark, words.display),
        words: charactersText(mark, words.display),
      });
    }
    at = mark.end;
  }
  if (at < to) parts.push({ kind: "plain", text: text.slice(at, to) });
  return parts;
}

/** The displayed length of a part, in characters. */
export function shownLength(part: TextPart): number {
  if (part.kind === "plain") return part.text.length;
  if (part.kind === "label") return part.label.length;
  return part.parts.reduce((sum, inner) => sum + shownLength(inner), part.note.length);
}
