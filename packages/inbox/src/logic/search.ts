import type { Approval } from "../api/approval.js";
import { sentenceOf } from "./sentence.js";

/** Whether every word stands somewhere in what a row shows. */
export function matches(approval: Approval, words: string): boolean {
  const text = [
    sentenceOf(approval),
    approval.toolName,
    approval.requesterId,
    approval.agentName,
    approval.risk,
  ]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
