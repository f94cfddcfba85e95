import { describe, expect, it } from "vitest";
import { boundedIndexOf } from "./text-search.js";
import { TooMuchWork, WorkLimit } from "./work-limit.js";

/** Runs until something stops it. */
function forEver(): never {
  for (;;) Math.random();
}

describe("a work limit", () => {
  it("adds up the work of its tasks, and still runs cheap tasks at once when it is used up", () => {
    const limit = new WorkLimit();
    /** How often a task of so much work begins. */
    const begins = (units: number) => {
      let times = 0;
      limit.run((meter) => {
        times += 1;
        meter.spend(units);
      });
      return times;
    };
    expect(Array.from({ length: 9 }, () => begins(10_000))).toEqual(Array(9).fill(1));
    expect([begins(9_000), begins(5_000)]).toEqual([1, 2]);
    expect(Array.from({ length: 1_000 }, () => begins(100)).every((times) => times === 1)).toBe(true);
  });

  it("restarts a task under the time limit when it has counted too much work", () => {
    const runs: string[] = [];
    const result = new WorkLimit().run((meter) => {
      runs.push("run");
      for (let part = 0; part < 100; part += 1) meter.spendStoppable(10_000);
      return "done";
    });
    expect([result, runs.length]).toEqual(["done", 2]);
  });

  it("stops an endless task, and all later tasks that need the time limit", () => {
    const limit = new WorkLimit();
    const began = performance.now();
    expect(() =>
      limit.run((meter) => {
        meter.spendStoppable(1e9);
        forEver();
      }),
    ).toThrow(TooMuchWork);
    for (let task = 0; task < 100; task += 1) {
      expect(() =>
        limit.run((meter) => {
          meter.spendStoppable(1e9);
          forEver();
        }),
      ).toThrow(TooMuchWork);
    }
    expect(performance.now() - began).toBeLessThan(1_000);
  });

  it("rethrows the error of a task, with counted work and under the time limit", () => {
    const fail = () => {
      throw new RangeError("own");
    };
    expect(() => new WorkLimit().run(fail)).toThrow(RangeError);
    expect(() =>
      new WorkLimit().run((meter) => {
        meter.spendStoppable(1e9);
        fail();
      }),
    ).toThrow(RangeError);
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
    const began = performance.now();
    const half = "a".repeat(100_000);
    expect(() => find("a".repeat(1_000_000), `${half}b${half}`)).toThrow(TooMuchWork);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
