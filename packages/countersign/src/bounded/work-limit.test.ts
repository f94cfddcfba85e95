import { describe, expect, it } from "vitest";
import { boundedIndexOf } from "./text-search.js";
import { TooMuchWork, WorkLimit } from "./work-limit.js";

/** Runs until something stops it. */
function forEver(): never {
  for (;;) Math.random();
}

describe("a work limit", () => {
  it("adds up the work of its tasks, and still runs cheap tasks when it is used up", () => {
    const limit = new WorkLimit({ repeatable: true });
    for (let task = 0; task < 9; task += 1) limit.run((meter) => meter.spend(10_000));
    limit.run((meter) => meter.spend(9_000));
    expect(() => limit.run((meter) => meter.spend(5_000))).toThrow(TooMuchWork);
    for (let task = 0; task < 1_000; task += 1)
      expect(limit.run((meter) => meter.spend(100))).toBeUndefined();
  });

  it("stops a task at the same amount of work each time if it is repeatable", () => {
    const spendAll = () => {
      const limit = new WorkLimit({ repeatable: true });
      let spent = 0;
      expect(() =>
        limit.run((meter) => {
          for (;;) {
            meter.spend(7);
            spent += 7;
          }
        }),
      ).toThrow(TooMuchWork);
      return spent;
    };
    expect(new Set([spendAll(), spendAll(), spendAll()]).size).toBe(1);
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
