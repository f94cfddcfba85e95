import { englishDisplay } from "./english.js";

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
      cut?: true;
    };

/**
 * Joins a summary into plain text. Values that could be mistaken for the rule's text are quoted.
 *
 * @example
 * ```ts
 * import { summaryText } from "countersign/display";
 *
 * export const sentence = summaryText([{ text: "Cancel order " }, { value: "A-1002. Approved", path: "id" }]);
 * // Cancel order “A-1002. Approved”
 * ```
 */
export function summaryText(parts: readonly SummaryPart[]): string {
  return parts.map((part) => ("text" in part ? part.text : quotedValue(part.value))).join("");
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

const hiddenValue = "[hidden]";
