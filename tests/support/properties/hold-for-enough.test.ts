import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { holdForEnough } from "./hold-for-enough.js";

/** What a case does that never ends: the time passes. */
function hang(): Promise<void> {
  vi.advanceTimersByTime(50);
  return new Promise(() => {});
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("holdForEnough fails a property that was interrupted too early", async () => {
  let cases = 0;
  const slow = fc.asyncProperty(fc.nat(), async () => {
    if (++cases > 2) await hang();
  });
  const result = holdForEnough(slow, { numRuns: 9, interruptAfterTimeLimit: 50 }, 5);
  await expect(result).rejects.toThrow(
    /^Only 2 cases were tried within 50 ms, and at least 5 are needed \(seed/,
  );
});

it("holdForEnough passes a property that was interrupted after enough cases", async () => {
  let cases = 0;
  const slow = fc.asyncProperty(fc.nat(), async () => {
    if (++cases > 5) await hang();
  });
  await holdForEnough(slow, { numRuns: 9, interruptAfterTimeLimit: 50 }, 5);
});

it("holdForEnough fails with the seed and the failed case", async () => {
  const wrong = fc.asyncProperty(fc.nat(), async (number) => {
    expect(number).toBeLessThan(10);
  });
  await expect(holdForEnough(wrong, { numRuns: 100, seed: 7 }, 5)).rejects.toThrow(/seed: 7[\s\S]*\[10\]/);
});
