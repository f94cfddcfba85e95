import { type DisplayWords, englishDisplay } from "@countersign/policy/display";
import { numbers } from "../locale.js";

/** How `@countersign/policy/display` writes in English, with the numbers of the reader's region. */
export const display: DisplayWords = {
  ...englishDisplay,
  get numbers() {
    return numbers;
  },
};
