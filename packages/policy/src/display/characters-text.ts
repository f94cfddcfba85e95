import type { MarkWords } from "./display-words.js";
import { englishDisplay } from "./english.js";
import { type LabelledMark, markLabel } from "./text-mark.js";

/** Describes the characters that a label replaces. */
export function charactersText(mark: LabelledMark, words = englishDisplay): string {
  const { marks } = words;
  const label = () => markLabel(mark, words);
  if (mark.kind === "blanks" || mark.kind === "line_breaks") return marks.inARow(label());
  if (mark.kind === "stacked_marks") return marks.onOneLetter(label());
  return mark.characters.map((code) => `${characterName(code, marks)} (${code})`).join(", ");
}

/** The name of an invisible character by its code, such as `U+202E`. */
function characterName(code: string, words: MarkWords): string {
  const known = words.characters[code.slice(2)];
  if (known) return known;
  const character = String.fromCodePoint(Number.parseInt(code.slice(2), 16));
  if (/\p{Cc}/u.test(character)) return words.controlCharacter;
  if (/\p{Co}/u.test(character)) return words.privateCharacter;
  return words.invisibleCharacter;
}
