import { type DisplayWords, englishDisplay } from "countersign/display";
import { numbers } from "../locale.js";

/** How `countersign/display` writes in English, with the numbers of the reader's region. */
export const display: DisplayWords = {
  ...englishDisplay,
  get numbers() {
    return numbers;
  },
};
