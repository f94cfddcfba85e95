import { type LabelledMark, markLabel } from "./text-mark.js";

/** Describes the characters that a label replaces. */
export function charactersText(mark: LabelledMark): string {
  if (mark.kind === "blanks" || mark.kind === "line_breaks") return `${markLabel(mark)} in a row`;
  if (mark.kind === "stacked_marks") return `${markLabel(mark)} on one letter`;
  return mark.characters.map((code) => `${characterName(code)} (${code})`).join(", ");
}

/** The name of an invisible character by its code, such as `U+202E`. */
function characterName(code: string): string {
  const known = names[code.slice(2)];
  if (known) return known;
  const character = String.fromCodePoint(Number.parseInt(code.slice(2), 16));
  if (/\p{Cc}/u.test(character)) return "control character";
  if (/\p{Co}/u.test(character)) return "private character";
  return "invisible character";
}

const names: Record<string, string> = {
  "00AD": "soft hyphen",
  "061C": "Arabic letter mark",
  "180E": "Mongolian vowel separator",
  "200B": "zero-width space",
  "200C": "zero-width non-joiner",
  "200D": "zero-width joiner",
  "200E": "left-to-right mark",
  "200F": "right-to-left mark",
  "2028": "line separator",
  "2029": "paragraph separator",
  "202A": "left-to-right embedding",
  "202B": "right-to-left embedding",
  "202C": "end of direction change",
  "202D": "left-to-right override",
  "202E": "right-to-left override",
  "2060": "word joiner",
  "2066": "left-to-right isolate",
  "2067": "right-to-left isolate",
  "2068": "first strong isolate",
  "2069": "end of isolate",
  "2800": "blank Braille pattern",
  "3164": "Hangul filler",
  FEFF: "byte order mark",
  "001B": "escape",
  "0000": "null",
  "0007": "bell",
  "0008": "backspace",
  "000D": "carriage return",
};
