import { setTimeout as pause } from "node:timers/promises";
import { durationMs } from "@countersign/policy/internal/shared/duration";
import { CountersignError } from "@countersign/policy/internal/shared/errors";

/** Interval between checks. Each check slows down the work that the test waits for. */
const intervalMs = 30;
/**
 * Minimum number of checks, as a share of those that fit into the patience. A check that takes long means a busy
 * machine, on which the work that a test waits for takes long as well.
 */
const minimumShare = 1 / 3;
/** Less than vitest's and Jest's 5 s, so that a wait fails with its own message. */
const defaultPatience = "3s";
// A test may replace the global clock by a fake one, in which no time passes here.
const now = performance.now.bind(performance);

/** The purpose of a wait, and what to report if it times out. */
export interface Awaited {
  what: string;
  instead?: () => Promise<string>;
}

/** Repeats a check until it returns a value. */
export type Until = <T>(awaited: Awaited, look: () => Promise<T | undefined>) => Promise<T>;

/**
 * Creates waits that give up after `patience`, each counted from its own call.
 * @throws CountersignError `invalid_option` if `patience` is not a duration.
 */
export function createUntil(patience: string | number = defaultPatience): Until {
  const patienceMs = typeof patience === "number" ? patience : durationMs(patience);
  if (patienceMs === undefined || !(patienceMs > 0)) {
    throw new CountersignError(
      "invalid_option",
      `patience: "${patience}" is not a duration; use milliseconds or a text such as "3s"`,
    );
  }
  return async ({ what, instead }, look) => {
    const start = now();
    const minimum = (patienceMs / intervalMs) * minimumShare;
    for (let looks = 1; ; looks += 1) {
      const found = await look();
      if (found !== undefined) return found;
      if (now() - start > patienceMs && looks >= minimum) {
        throw new Error(
          `Timed out after ${patienceMs / 1000} s (the option patience) waiting until ${what}${instead ? `: ${await instead()}` : ""}`,
        );
      }
      await pause(intervalMs);
    }
  };
}
