import { englishDisplay } from "./english.js";
import { numberText } from "./number-text.js";

/**
 * A part of a call's summary: text from its rule, or the value of an argument. Display values so that they cannot be
 * mistaken for the rule's text.
 */
export type SummaryPart =
  | { text: string }
  | {
      /** Safe to display: invisible characters appear as ⟨U+202E⟩ or ⟨400 spaces⟩. */
      value: string;
      /** Path of the argument, such as `customer.email`. */
      path: string;
      /** The value is truncated. */
      cut?: true | undefined;
      /** The number that `value` shows, so that it can be written as in another language. */
      number?: number | undefined;
    };

/**
 * Joins a summary into plain text. Values that could be mistaken for the rule's text are quoted.
 *
 * @example
 * ```ts
 * import { summaryText } from "@countersign/policy/display";
 *
 * export const sentence = summaryText([{ text: "Cancel order " }, { value: "A-1002. Approved", path: "id" }]);
 * // Cancel order “A-1002. Approved”
 * ```
 */
export function summaryText(parts: readonly SummaryPart[], words = englishDisplay): string {
  return parts.map((part) => partText(part, words)).join("");
}

/**
 * One part of a summary as plain text: a number as in the language, and another value quoted if it could be mistaken for the
 * rule's text.
 *
 * @example
 * ```ts
 * import { englishDisplay, partText } from "@countersign/policy/display";
 *
 * const words = { ...englishDisplay, numbers: { group: ".", decimal: "," } };
 * export const text = partText({ value: "2,400", path: "amount", number: 2400 }, words); // 2.400
 * ```
 */
export function partText(part: SummaryPart, words = englishDisplay): string {
  if ("text" in part) return part.text;
  if (part.number === undefined) {
    // A text that looks like a number is in no format of the reader's.
    const isForeign = words.numbers.decimal !== "." && /^[-+]?\d[\d.,]*[.,]\d+$/.test(part.value);
    return isForeign ? inQuotes(part.value, words) : quotedValue(part.value, words);
  }
  return numberText(nameAt(part.path), part.number, words.numbers);
}

/** The name of the value at a path: its last key that is no index of a list. */
export function nameAt(path: string): string {
  return path.split(".").findLast((key) => !/^\d+$/.test(key)) ?? path;
}

/**
 * One token of letters, digits and the punctuation of addresses and numbers. In scripts without spaces, a token may
 * be a sentence.
 */
const token =
  /^(?![\s\S]*[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}])(?:[\p{L}\p{N}\p{M}\p{Sc}_+\-#@/~.:=&?%]|,(?=\d))*[\p{L}\p{N}\p{M}\p{Sc}_+\-#/%]$/u;

/** Formats a value for plain text: unchanged if it is one token, otherwise quoted. */
export function quotedValue(value: string, words = englishDisplay): string {
  if (value === hiddenValue) return words.hidden;
  return token.test(value) ? value : inQuotes(value, words);
}

/** Quotes a text with quotation marks that it cannot close. */
export function inQuotes(text: string, { quotes } = englishDisplay): string {
  return `${quotes.open}${text.replace(/[“”„‟〝〞〟❝❞＂]/g, '"')}${quotes.close}`;
}

/** The marker that stands in place of hidden values. */
export const hiddenValue = "[hidden]";
