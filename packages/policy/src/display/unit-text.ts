import { englishDisplay } from "./english.js";
import { quotedValue } from "./summary-part.js";
import { visibleText } from "./visible-text.js";

const maxUnit = 20;

/** A written number with its unit, if it has one: "2,000 EUR". A unit that could be mistaken for text is quoted. */
export function withUnit(number: string, unit: string | null, words = englishDisplay): string {
  return unit === null ? number : `${number} ${quotedValue(visibleText(unit, maxUnit, words), words)}`;
}
