import type { Approval } from "../../api/approval.js";
import { sentenceOf } from "../wording/sentence.js";

/** The least time that a call must be on the screen before it is decided, in milliseconds. */
export const minSeeingMs = 400;

const msPerWord = 12;
const maxSeeingMs = 2000;
const maxWords = (maxSeeingMs - minSeeingMs) / msPerWord;

/** How long a call must be on the screen until it counts as seen, in milliseconds. It grows with the call's words. */
export function seeingTime(approval: Approval): number {
  return readingTime(
    `${sentenceOf(approval)} ${JSON.stringify([approval.input, ...(approval.preview?.effects ?? [])])}`,
  );
}

/** How long a text of a call must be on the screen until it counts as read, in milliseconds. */
export function readingTime(text: string): number {
  return Math.min(maxSeeingMs, minSeeingMs + msPerWord * countWords(text));
}

/** Long words count more than once, so that text without blanks takes its time too. */
function countWords(text: string): number {
  let words = 0;
  for (const _ of text.matchAll(/[\p{L}\p{N}]{1,8}/gu)) {
    words += 1;
    if (words >= maxWords) break;
  }
  return words;
}
