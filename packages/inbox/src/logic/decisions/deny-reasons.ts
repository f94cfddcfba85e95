import { inQuotes } from "@countersign/policy/display";
import { words } from "../../words/words.js";

const maxReasons = 20;
const maxReasonLength = 200;

/** Parses reasons, one per line. */
export function readReasons(text: string): { reasons: string[]; problem?: string } {
  const lines = text.split("\n").map((line) => line.trim());
  const reasons = [...new Set(lines.filter((line) => line !== ""))];
  const long = reasons.find((reason) => reason.length > maxReasonLength);
  if (long !== undefined) {
    return {
      reasons,
      problem: words.decide.deny.tooLong(inQuotes(`${long.slice(0, 30)}…`, words.display), maxReasonLength),
    };
  }
  if (reasons.length > maxReasons) {
    return { reasons, problem: words.decide.deny.tooMany(reasons.length, maxReasons) };
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
