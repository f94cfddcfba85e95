import { describe, expect, it } from "vitest";
import { boundedIndexOf } from "./text-search.js";
import { TooMuchWork, WorkLimit } from "./work-limit.js";

describe("a work limit", () => {
  /** Whether a task of so much work is done. */
  const isDone = (limit: WorkLimit, units: number): boolean => {
    try {
      return limit.run((meter) => {
        meter.spend(units);
        return true;
      });
    } catch (error) {
      expect(error).toBeInstanceOf(TooMuchWork);
      return false;
    }
  };

  it("adds up the work of its tasks, and still runs cheap tasks when it is used up", () => {
    const limit = new WorkLimit();
    expect(Array.from({ length: 9 }, () => isDone(limit, 100_000))).toEqual(Array(9).fill(true));
    const further = [110_000, 90_000, 20_000].map((units) => isDone(limit, units));
    expect(further).toEqual([false, true, false]);
    expect(Array.from({ length: 1_000 }, () => isDone(limit, 100)).every(Boolean)).toBe(true);
  });

  it("rethrows the error of a task, and counts what the task spent", () => {
    const limit = new WorkLimit();
    const failing = () =>
      limit.run((meter) => {
        meter.spend(999_000);
        throw new RangeError("own");
      });
    expect(failing).toThrow(RangeError);
    expect(isDone(limit, 2_000)).toBe(false);
  });
});

describe("boundedIndexOf", () => {
  const find = (text: string, searched: string) =>
    new WorkLimit().run((meter) => boundedIndexOf(text, searched, 0, meter));

  it("finds what indexOf finds", () => {
    const long = "x".repeat(300);
    for (const [text, searched] of [
      ["banana", "nan"],
      ["banana", ""],
      ["banana", "nab"],
      [`${long}y${long}z`, `${long}z`],
      [`${long.slice(1)}y${long}z`, `${long}z`],
      [`a${long}`, `${long}y`],
    ] as const) {
      expect(find(text, searched)).toBe(text.indexOf(searched));
    }
  });

  it("stops a search that would take indexOf a minute", () => {
    const half = "a".repeat(100_000);
    expect(() => find("a".repeat(1_000_000), `${half}b${half}`)).toThrow(TooMuchWork);
  });
});
