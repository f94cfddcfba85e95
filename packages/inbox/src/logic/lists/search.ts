import type { Approval } from "../../api/approval.js";
import { sentenceOf } from "../wording/sentence.js";

/** Whether the text of a row contains every word. */
export function matches(approval: Approval, words: string): boolean {
  const { toolName, requesterId, agentName, risk } = approval;
  return hasWords([sentenceOf(approval), toolName, requesterId, agentName, risk].join(" "), words);
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
