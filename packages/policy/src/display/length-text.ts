import { englishDisplay } from "./english.js";
import { quotedValue } from "./summary-part.js";
import { visibleText } from "./visible-text.js";

const maxLength = 40;
const pattern = /^(\d+(?:\.\d+)?) ?(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)$/i;

/** A length of time as rules write it, in words: "24 hours" for `24h`. Another text is shown as a value. */
export function lengthText(length: string, words = englishDisplay): string {
  const [, count, name = ""] = pattern.exec(length) ?? [];
  const unit = name.charAt(0).toLowerCase();
  if (count === undefined || !isUnit(unit)) return quotedValue(visibleText(length, maxLength, words), words);
  return words.lengths[unit](count.replace(".", words.numbers.decimal));
}

function isUnit(unit: string): unit is keyof typeof englishDisplay.lengths {
  return unit in englishDisplay.lengths;
}
