import { charactersText } from "./characters-text.js";
import type { LabelledMark } from "./text-mark.js";

/** The parts of a flag of the API, or of an approval in a chat, that its words need. */
export interface FlagLike extends LabelledMark {
  /** The word, address or number. */
  text?: string | undefined;
  /** What it could be mistaken for, in ASCII. */
  looksLike?: string | undefined;
  /** The flag is about the field's name, not its value. */
  inName?: true | undefined;
}

/**
 * Describes a flag: something in a call's arguments that people cannot see or could misread.
 *
 * @example
 * ```ts
 * import { flagText } from "countersign/display";
 *
 * flagText({ kind: "blanks", characters: ["U+0020"], count: 400 }); // 400 spaces in a row
 * ```
 */
export function flagText(flag: FlagLike): string {
  const words = wordsFor(flag);
  return flag.inName ? `In the field name: ${words}` : words;
}

function wordsFor(flag: FlagLike): string {
  const { kind, text, characters, looksLike } = flag;
  const word = text === undefined ? "A word" : `“${text}”`;
  const look = looksLike === undefined ? "it may imitate another word" : `it looks like “${looksLike}”`;
  switch (kind) {
    case "mixed_script":
      return `${word} mixes letters from different alphabets; ${look}: ${characters.join(", ")}`;
    case "look_alike":
      return `${word} contains look-alike letters; ${look}: ${characters.join(", ")}`;
    case "compatibility":
      return `${word} contains characters in an unusual form; ${look}: ${characters.join(", ")}`;
    case "foreign_digits":
      return `${word} contains digits from another script; ${look}`;
    case "blanks":
    case "line_breaks":
    case "stacked_marks":
      return capitalized(charactersText(flag));
    case "direction":
      return `Characters that change the text direction: ${charactersText(flag)}`;
    case "control":
      return `Control characters: ${charactersText(flag)}`;
    case "invisible":
      return `Invisible characters: ${charactersText(flag)}`;
    case "decimals":
      return `An amount with more than two decimals: ${text}`;
    case "large_number":
      return `Unusually large; it is sent as ${text}`;
    case "cut_short":
      return "The summary above shows only the first line of this value";
    default:
      return `Unusual characters (${String(kind).replaceAll("_", " ")})`;
  }
}

function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
