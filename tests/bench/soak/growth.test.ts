import { expect, it } from "vitest";
import { growthOf } from "./growth.mjs";

const limit = { share: 0.05, least: 2 };
const swings = (n: number) => (n % 2 === 0 ? 10 : -10);

it("growthOf() tells steady growth from swings", () => {
  const swinging = Array.from({ length: 90 }, (_, n) => 500 + swings(n));
  expect(growthOf(swinging, limit)).toMatchObject({ grows: false, allowed: 25 });
  const growing = swinging.map((value, n) => value + n);
  expect(growthOf(growing, limit)).toMatchObject({ grows: true });
});

it("growthOf() ignores the warm-up and a single peak", () => {
  const samples = Array.from({ length: 90 }, (_, n) => (n < 30 ? n * 10 : 300));
  samples[89] = 5000;
  expect(growthOf(samples, limit)).toEqual({ level: 300, growth: 0, allowed: 15, grows: false });
});

it("growthOf() ignores a fall, and a small rise up to the least that counts", () => {
  expect(growthOf([9, 8, 7, 6, 5, 4], limit).grows).toBe(false);
  expect(growthOf([1, 1, 1, 2, 2, 2], limit).grows).toBe(false);
  expect(growthOf([1, 1, 1, 3, 5, 7], limit).grows).toBe(true);
});
