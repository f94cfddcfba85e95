import { type NumberMark, numberMarks } from "../display/number-text.js";
import type { SummaryPart } from "../display/summary-part.js";
import type { MarkKind } from "../display/text-mark.js";
import { isMarkedInPart, textMarks } from "../display/text-marks.js";
import { visibleText } from "../display/visible-text.js";
import { cutText } from "../shared/engine-text.js";
import { ownField } from "../shared/value-at-path.js";

/** Kinds of flags: a mark of a text or number, or a value of which the summary shows only the first line. */
export type FlagKind = MarkKind | NumberMark | "cut_short";

/** Something in the arguments that people cannot see or could misread. */
export interface TextFlag {
  /**
   * Path of the value, such as `input.note`, `editedInput.lines.0`, `effects.0.after` or `toolName`. Invisible characters
   * appear as ⟨U+202E⟩.
   */
  path: string;
  kind: FlagKind;
  /** Offset in the text in UTF-16 units; absent for numbers. */
  start?: number;
  end?: number;
  /** The flag is about the field's name, not its value. */
  inName?: true;
  /** The distinct characters, such as `U+202E`. At most 20. */
  characters: string[];
  /** Number of blanks, line breaks, accents or invisible characters. */
  count?: number;
  /** The word, address or number. */
  text?: string;
  /** What it could be mistaken for, in ASCII. */
  looksLike?: string;
}

const maxFlags = 100;
/** Maximum flags per text, so that one text cannot use up all flags. */
const maxFlagsOfText = 20;
const maxPath = 300;
const maxWord = 80;

/**
 * Finds misleading texts, keys and numbers in named values, and values of which the summary shows only the first
 * line. At most 100 flags.
 */
export function deceptiveText(
  values: Record<string, unknown>,
  summary: readonly SummaryPart[] = [],
): { flags: TextFlag[]; flagsTruncated: boolean } {
  const flags = summary.flatMap((part) => cutFlags(part, values.input));
  let left = false;
  const add = (found: readonly TextFlag[]) => {
    const room = Math.max(0, Math.min(maxFlagsOfText, maxFlags - flags.length));
    flags.push(...found.slice(0, room));
    left ||= found.length > room;
  };
  // A path is only made for a flag, because most values have none.
  const visit = (value: unknown, path: () => string, name: string): void => {
    if (left && flags.length >= maxFlags) return;
    if (typeof value === "string") {
      add(flagsOf(value, path));
      left ||= isMarkedInPart(value);
    }
    if (typeof value === "number") add(numberFlags(name, value, path));
    if (typeof value !== "object" || value === null) return;
    for (const [key, item] of Object.entries(value)) {
      const below = () => visibleText(`${path()}.${key}`, maxPath);
      const isList = Array.isArray(value);
      if (!isList) add(flagsOf(key, below).map((flag) => ({ ...flag, inName: true as const })));
      visit(item, below, isList ? name : key);
    }
  };
  for (const [name, value] of Object.entries(values)) visit(value, () => name, name);
  return { flags, flagsTruncated: left };
}

const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;

function cutFlags(part: SummaryPart, input: unknown): TextFlag[] {
  if (!("value" in part) || !part.cut) return [];
  const { path } = part;
  const found = ownField(input, path);
  const value = found.found ? found.value : undefined;
  if (typeof value !== "string") return [];
  const start = value.search(lineBreak);
  if (start < 0) return [];
  return [{ path: `input.${path}`, kind: "cut_short", start, end: value.length, characters: [] }];
}

const wordKinds: ReadonlySet<FlagKind> = new Set([
  "mixed_script",
  "look_alike",
  "compatibility",
  "foreign_digits",
]);

function flagsOf(text: string, path: () => string): TextFlag[] {
  // Collect one more than the maximum to detect truncation.
  return textMarks(text, maxFlagsOfText + 1).map((mark) => ({
    path: path(),
    ...mark,
    ...(wordKinds.has(mark.kind) ? { text: visibleText(text.slice(mark.start, mark.end), maxWord) } : {}),
    ...(mark.looksLike === undefined ? {} : { looksLike: cutText(mark.looksLike, maxWord) }),
  }));
}

function numberFlags(name: string, value: number, path: () => string): TextFlag[] {
  return numberMarks(name, value).map((kind) => ({
    path: path(),
    kind,
    characters: [],
    text: JSON.stringify(value),
  }));
}
