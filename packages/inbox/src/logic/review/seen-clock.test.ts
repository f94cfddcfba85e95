import { describe, expect, it } from "vitest";
import { createSeenClock } from "./seen-clock.js";

describe("createSeenClock", () => {
  it("counts only while it runs", () => {
    let now = 5000;
    const clock = createSeenClock(1000, () => now);
    const after = (ms: number) => {
      now += ms;
      return clock.left();
    };
    expect(after(300)).toBe(1000);
    clock.run(true);
    expect(after(300)).toBe(700);
    clock.run(false);
    expect(after(10_000)).toBe(700);
    clock.run(true);
    expect(after(200)).toBe(500);
    // Told twice, it goes on.
    clock.run(true);
    expect(after(400)).toBe(100);
    expect(after(400)).toBe(0);
  });
});
