import { charactersText } from "./characters-text.js";
import type { DisplayWords } from "./display-words.js";
import { englishDisplay } from "./english.js";
import { inQuotes } from "./summary-part.js";
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
 * import { flagText } from "@countersign/policy/display";
 *
 * flagText({ kind: "blanks", characters: ["U+0020"], count: 400 }); // 400 spaces in a row
 * ```
 */
export function flagText(flag: FlagLike, words = englishDisplay): string {
  const text = textOf(flag, words);
  return flag.inName ? words.flags.inName(text) : text;
}

function textOf(flag: FlagLike, words: DisplayWords): string {
  const { kind, text, looksLike } = flag;
  const { flags } = words;
  const word = text === undefined ? flags.aWord : inQuotes(text, words);
  const look = looksLike === undefined ? flags.mayImitate : flags.looksLike(inQuotes(looksLike, words));
  const codes = flag.characters.join(", ");
  const named = () => charactersText(flag, words);
  // The API sends it as in JSON.
  const number = String(text).replace(".", words.numbers.decimal);
  switch (kind) {
    case "mixed_script":
      return flags.mixedScript(word, look, codes);
    case "look_alike":
      return flags.lookAlike(word, look, codes);
    case "compatibility":
      return flags.compatibility(word, look, codes);
    case "foreign_digits":
      return flags.foreignDigits(word, look);
    case "blanks":
    case "line_breaks":
    case "stacked_marks":
      return capitalized(named());
    case "direction":
      return flags.direction(named());
    case "control":
      return flags.control(named());
    case "invisible":
      return flags.invisible(named());
    case "decimals":
      return flags.decimals(number);
    case "large_number":
      return flags.largeNumber(number);
    case "cut_short":
      return flags.cutShort;
    default:
      return flags.another(String(kind).replaceAll("_", " "));
  }
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
