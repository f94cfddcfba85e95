import { expect, test } from "vitest";
import { nextAttemptAt } from "./backoff.js";

test("the delays between attempts grow, with a random addition of up to a tenth", () => {
  const delays = (random: number) =>
    [0, 1, 2, 9].map((attempt) => nextAttemptAt(attempt, undefined, 0, () => random));
  expect(delays(0)).toEqual([10_000, 30_000, 60_000, 600_000]);
  expect(delays(1)).toEqual([11_000, 33_000, 66_000, 660_000]);
});

test("an app may set the time of the next attempt in seconds or as a date, but not in the past", () => {
  expect(nextAttemptAt(0, "90", 1_000)).toBe(91_000);
  expect(nextAttemptAt(0, "1970-01-01T00:01:00.000Z", 1_000)).toBe(60_000);
  expect(nextAttemptAt(0, "1970-01-01T00:00:00.000Z", 1_000)).toBe(1_000);
  expect(nextAttemptAt(0, "whenever", 0, () => 0)).toBe(10_000);
});
