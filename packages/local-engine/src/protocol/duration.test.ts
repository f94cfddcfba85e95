import { expect, test } from "vitest";
import { parseDeadline, parseDuration } from "./duration.js";

test.each([
  ["", 0],
  ["1s", 1_000],
  ["30m", 1_800_000],
  ["1w2d3h4m5s", 788_645_000],
  ["250ms", 250],
  ["30 minutes", 1_800_000],
])("the duration %j lasts %d ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test("text that is not a duration is refused", () => {
  for (const text of ["soon", "1x", "s"]) expect(() => parseDuration(text)).toThrow("Not a duration");
});

test("a deadline is a duration from now, or a date", () => {
  expect(parseDeadline("1h", 5)).toBe(3_600_005);
  expect(parseDeadline("2026-11-21T21:18:00.000Z", 5)).toBe(Date.UTC(2026, 10, 21, 21, 18));
});
