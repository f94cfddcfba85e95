import { expect, it } from "vitest";
import { validUntil } from "./changes.js";

const [readAt, second, day] = [1_767_323_400_000, 1_000, 86_400_000];
const until = (...due: number[]) =>
  validUntil(new Date(readAt), ...due.map((ms) => new Date(readAt + ms))).getTime() - readAt;

it("a judgement holds for less than a minute", () => {
  expect(until()).toBeGreaterThan(second);
  expect(until()).toBeLessThan(60 * second);
});

it.each<[due: number[], ms: number]>([
  [[day], until()],
  [[second], 999],
  [[day, second, 2], 1],
  [[-second], -second - 1],
])("a judgement that changes after %j ms holds for %i ms", (due, ms) => {
  expect(until(...due)).toBe(ms);
});
