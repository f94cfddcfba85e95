import type { Approval } from "../api/approval.js";
import { sentenceOf } from "./sentence.js";

/** Whether every word stands somewhere in what a row shows. */
export function matches(approval: Approval, words: string): boolean {
  const { toolName, requesterId, agentName, risk } = approval;
  return hasWords([sentenceOf(approval), toolName, requesterId, agentName, risk].join(" "), words);
}

/** Whether every word stands somewhere in a text, in whatever letters. */
export function hasWords(text: string, words: string): boolean {
  const lower = text.toLowerCase();
  return words
    .trim()
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
