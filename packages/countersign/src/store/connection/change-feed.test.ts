import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createChangeFeed, type Listen } from "./change-feed.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lookMs = 2_000;
const listen: Listen = async () => async () => {};

it("a feed looks once in its time for all that is followed, and not at all while nothing is", async () => {
  const looked: (readonly string[])[] = [];
  const feed = createChangeFeed(listen, async (tenantIds) => {
    looked.push(tenantIds);
    return [];
  });
  const leave = [await feed.subscribe("acme", () => {}), await feed.subscribe("bolt", () => {})];
  await vi.advanceTimersByTimeAsync(2 * lookMs);
  expect(looked).toEqual([
    ["acme", "bolt"],
    ["acme", "bolt"],
  ]);
  for (const one of leave) await one();
  await vi.advanceTimersByTimeAsync(5 * lookMs);
  expect(looked).toHaveLength(2);
});

it("a feed that is left and followed again during a look does not look twice as often", async () => {
  let looks = 0;
  let answer = () => {};
  const feed = createChangeFeed(listen, async () => {
    looks += 1;
    if (looks === 1) await new Promise<void>((resolve) => (answer = resolve));
    return [];
  });
  const leave = await feed.subscribe("acme", () => {});
  await vi.advanceTimersByTimeAsync(lookMs);
  await leave();
  await feed.subscribe("acme", () => {});
  answer();
  await vi.advanceTimersByTimeAsync(3 * lookMs);
  expect(looks).toBe(4);
});

it("a feed tells of a log that has grown without a notice, once", async () => {
  const changes: string[] = [];
  let position = 7;
  const feed = createChangeFeed(listen, async (tenantIds) =>
    tenantIds.map((tenantId) => ({ tenantId, position })),
  );
  await feed.subscribe("acme", ({ kind }) => changes.push(kind));
  // The first look finds the log as it is.
  await vi.advanceTimersByTimeAsync(lookMs);
  changes.length = 0;
  await vi.advanceTimersByTimeAsync(lookMs);
  expect(changes).toEqual([]);
  position = 8;
  await vi.advanceTimersByTimeAsync(2 * lookMs);
  expect(changes).toEqual(["log"]);
  await feed.close();
});
