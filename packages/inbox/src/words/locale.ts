import { englishNumbers, type NumberFormat, numberText } from "@countersign/policy/display";
import { chooseLanguage } from "./choose-language.js";

/** The reader's locale: the texts are in its language, and dates and numbers are written as in its region. */
export let locale = chooseLanguage("en", globalThis.navigator?.languages ?? []).locale;

/** How the reader's locale writes numbers. */
export let numbers: NumberFormat = englishNumbers;

/** Writes dates and numbers as in a locale, such as `de-CH`. */
export function writeAs(next: string): void {
  locale = next;
  const parts = new Intl.NumberFormat(next, { minimumFractionDigits: 1 }).formatToParts(1_234_567);
  const signOf = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value;
  numbers = {
    group: signOf("group") ?? englishNumbers.group,
    decimal: signOf("decimal") ?? englishNumbers.decimal,
  };
}

/** A whole number with grouped digits, such as "2,400". */
export function countNumber(count: number): string {
  return numberText("amount", count, numbers);
}
