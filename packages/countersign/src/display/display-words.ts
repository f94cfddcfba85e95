import { englishNumbers, type NumberFormat } from "./number-text.js";

/** The words that `countersign/display` uses, in one language. */
export interface DisplayWords {
  /** How numbers are written. */
  numbers: NumberFormat;
}

/** English, the default of each function. */
export const englishDisplay: DisplayWords = { numbers: englishNumbers };
