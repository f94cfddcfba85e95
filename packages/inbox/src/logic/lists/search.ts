import type { Approval } from "../../api/approval.js";
import { numbers } from "../../words/locale.js";
import { parseNumber } from "../arguments/parse-number.js";
import { sentenceOf } from "../wording/sentence.js";

/** Whether the text of a row contains every word. */
export function matches(approval: Approval, words: string): boolean {
  const { label, toolName, requesterId, agentName, risk } = approval;
  return hasWords([sentenceOf(approval), label, toolName, requesterId, agentName, risk].join(" "), words);
}

/** Words as the server and its summaries write them: a number in the reader's format is written as in JSON. */
export function wordsToFind(words: string): string {
  if (numbers.decimal === ".") return words;
  const plain = (word: string) => {
    const value = /^\d.*\D.*\d$/.test(word) ? parseNumber(word).value : undefined;
    return value === undefined ? word : String(value);
  };
  return words.split(" ").map(plain).join(" ");
}

/** Whether a text contains every word, ignoring case and the commas of large numbers. */
export function hasWords(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  const ungrouped = lower.replace(/(?<=\d),(?=\d{3})/g, "");
  return words
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word) || ungrouped.includes(word));
}
