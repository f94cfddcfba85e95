import { numberText } from "@countersign/policy/display";
import { numbers } from "../../words/locale.js";
import { words } from "../../words/words.js";

/** A number that somebody typed, or why it is none. */
export type TypedNumber = { value: number; problem?: never } | { value?: never; problem: string };

/**
 * Reads a number as in the reader's locale, or as in JSON where that cannot mean anything else. Strict, because "1.200" is a
 * thousandth of itself elsewhere: groups have exactly three digits, and what has another meaning in the locale is refused. The
 * parsers of libraries skip the signs between groups wherever they are, and read "12,5" as 125.
 */
export function parseNumber(text: string): TypedNumber {
  const plain = plainNumber(text.trim());
  if (plain === undefined) return { problem: words.values.editing.enterNumber(exampleNumber(12.5)) };
  const value = Number(plain);
  return plainText(value, ".") === plain ? { value } : { problem: words.values.editing.tooManyDigits };
}

/** Whether a text may be another number in another locale: nothing but digits, with signs between them. */
export function hasNumberSigns(text: string): boolean {
  return /\d\D+\d/.test(text) && !/\p{L}/u.test(text);
}

/** A number for its field: in the reader's format, without groups, which would have to be moved while typing. */
export function numberInput(value: number): string {
  return plainText(value, numbers.decimal);
}

/** A number as an amount is written, in messages that show how to write one. */
export function exampleNumber(value: number): string {
  return numberText("amount", value, numbers);
}

function plainText(value: number, decimal: string): string {
  return numberText("", value, { group: "", decimal });
}

/** The digits as in JSON, in their shortest form; `undefined` if the text is no number. */
function plainNumber(text: string): string | undefined {
  const { group, decimal } = numbers;
  const grouped = String.raw`(?<first>[1-9]\d{0,2})(?:(?<sign>${groupSigns(group)})\d{3})(?:\k<sign>\d{3})*`;
  const local = new RegExp(
    `^(?<minus>[-−+]?)(?<whole>${grouped}|\\d*)(?:${escaped(decimal)}(?<decimals>\\d*))?$`,
    "u",
  );
  const found = local.exec(text) ?? (decimal === "." ? null : asInJson.exec(text));
  const { minus = "", whole = "", decimals = "" } = found?.groups ?? {};
  const digits = whole.replace(/\D/g, "");
  if (digits + decimals === "") return undefined;
  const shortest = [digits.replace(/^0+(?=\d)/, "") || "0", decimals.replace(/0+$/, "")]
    .filter(Boolean)
    .join(".");
  return minus === "" || minus === "+" || shortest === "0" ? shortest : `-${shortest}`;
}

/** A point before three digits may stand between groups. */
const asInJson = /^(?<minus>[-−+]?)(?<whole>\d*)\.(?!\d{3}$)(?<decimals>\d+)$/;

/** What people type between groups: blanks and apostrophes have several forms. */
function groupSigns(group: string): string {
  if (/\s/.test(group)) return "[ \\u00a0\\u202f]";
  return /['’]/.test(group) ? "['’]" : escaped(group);
}

function escaped(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}
