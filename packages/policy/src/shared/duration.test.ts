import { expect, it } from "vitest";
import { checkedDurationMs, durationMs } from "./duration.js";
import { optionMs } from "./invalid-option.js";

it("a duration is parsed to milliseconds; other text, and an option of less than a second, is refused", () => {
  expect(durationMs("90m")).toBe(5_400_000);
  for (const text of ["", "soon", "9".repeat(101)]) {
    expect(durationMs(text)).toBeUndefined();
    expect(() => checkedDurationMs(text)).toThrow(/is not a duration/);
    expect(() => optionMs("ttl", text)).toThrow(/^ttl: must be a duration of at least one second/);
  }
  expect(checkedDurationMs("1.5 s")).toBe(1500);
  expect(() => optionMs("ttl", "999ms")).toThrow(/at least one second/);
});
