import { englishDisplay } from "./english.js";

/**
 * Kinds of misleading text. The first six are displayed as a label instead of the characters, the others next to
 * them.
 */
export const markKinds = [
  "invisible",
  "direction",
  "control",
  "blanks",
  "line_breaks",
  "stacked_marks",
  "mixed_script",
  "look_alike",
  "compatibility",
  "foreign_digits",
] as const;

export type MarkKind = (typeof markKinds)[number];

/** A place in a text that may mislead a reader. */
export interface TextMark {
  kind: MarkKind;
  /** Start offset in UTF-16 units. */
  start: number;
  /** End offset in UTF-16 units, exclusive. */
  end: number;
  /** The distinct characters, such as `U+202E`. At most 20. */
  characters: string[];
  /** Number of blanks, line breaks, accents or invisible characters. */
  count?: number;
  /** What a reader could mistake it for, in ASCII. */
  looksLike?: string;
}

/** The parts of a mark, or of an API flag, that its label needs. */
export interface LabelledMark {
  kind: string;
  characters: readonly string[];
  count?: number | undefined;
}

const maxCharacters = 20;

/** Formats a character as its code point, such as `U+202E`. */
export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** The distinct code points of characters. */
export function codePointNames(characters: Iterable<string>): string[] {
  return [...new Set(characters)].slice(0, maxCharacters).map(codePointName);
}

/** The label of characters that are not shown: `U+202E`, `400 spaces`, `60 line breaks`. */
export function markLabel(
  { kind, characters, count = 1 }: LabelledMark,
  { marks, numbers } = englishDisplay,
): string {
  const number = String(count).replace(/\B(?=(\d{3})+$)/g, numbers.group);
  if (kind === "line_breaks") return marks.lineBreaks(number);
  const [first = "", ...others] = characters;
  if (kind === "blanks") {
    const only = others.length === 0 ? blankNames[first] : undefined;
    return marks[only ?? "blanks"](number);
  }
  if (kind === "stacked_marks") return count === 1 ? marks.oneAccent : marks.accents(number);
  if (others.length === 0) return count === 1 ? first : `${first} ×${number}`;
  return others.length < 3 && count === characters.length ? characters.join(" ") : marks.invisible(number);
}

const blankNames: Record<string, "spaces" | "tabs"> = { "U+0020": "spaces", "U+0009": "tabs" };
