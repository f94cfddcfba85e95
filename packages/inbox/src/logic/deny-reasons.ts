const mostReasons = 20;
const longestReason = 200;

/** Reasons for denying that everybody has who has written none of their own. */
export const usualReasons = [
  "Not what was asked for",
  "Wrong details",
  "Not needed any more",
  "I will do it myself",
];

/** Reasons out of a text with one on each line, and what is wrong with them. */
export function readReasons(text: string): { reasons: string[]; problem?: string } {
  const lines = text.split("\n").map((line) => line.trim());
  const reasons = [...new Set(lines.filter((line) => line !== ""))];
  const long = reasons.find((reason) => reason.length > longestReason);
  if (long !== undefined) {
    return { reasons, problem: `“${long.slice(0, 30)}…” is longer than ${longestReason} characters.` };
  }
  if (reasons.length > mostReasons) {
    return { reasons, problem: `These are ${reasons.length}; ${mostReasons} are kept at most.` };
  }
  return { reasons };
}
