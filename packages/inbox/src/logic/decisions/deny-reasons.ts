const maxReasons = 20;
const maxReasonLength = 200;

/** The preset reasons of people who have not edited theirs. */
export const defaultReasons = [
  "Not what was requested",
  "Wrong details",
  "No longer needed",
  "I will do it myself",
];

/** Parses reasons, one per line. */
export function readReasons(text: string): { reasons: string[]; problem?: string } {
  const lines = text.split("\n").map((line) => line.trim());
  const reasons = [...new Set(lines.filter((line) => line !== ""))];
  const long = reasons.find((reason) => reason.length > maxReasonLength);
  if (long !== undefined) {
    return { reasons, problem: `“${long.slice(0, 30)}…” is longer than ${maxReasonLength} characters.` };
  }
  if (reasons.length > maxReasons) {
    return { reasons, problem: `${reasons.length} reasons are too many. The limit is ${maxReasons}.` };
  }
  return { reasons };
}

/** The key that chooses a preset reason: its number, for the first nine. */
export function keyOfReason(reason: string, reasons: readonly string[]): string | undefined {
  const at = reasons.indexOf(reason);
  return at >= 0 && at < 9 ? String(at + 1) : undefined;
}

/** The preset reason that a key chooses. */
export function reasonOfKey(key: string, reasons: readonly string[]): string | undefined {
  return reasons.find((reason) => keyOfReason(reason, reasons) === key);
}

/** Whether a key may replace the reason: it is empty or a preset one, and not what the reader has typed. */
export function isReplaceable(reason: string, reasons: readonly string[]): boolean {
  return reason === "" || reasons.includes(reason);
}
