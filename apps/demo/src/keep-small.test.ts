import type { PruneOptions } from "@countersign/cli/operating";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keepSmall } from "./keep-small.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("keepSmall prunes data older than 30 days at once and daily, despite a failure, until it is ended", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => {});
  const prunes: PruneOptions[] = [];
  const end = keepSmall(async (options) => {
    prunes.push(options);
    if (prunes.length === 1) throw new Error("no database");
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(log).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(2 * 24 * 60 * 60 * 1000);
  expect(prunes).toHaveLength(3);
  expect(prunes[0]).toMatchObject({ olderThan: "30d" });
  await end();
  await vi.advanceTimersByTimeAsync(5 * 24 * 60 * 60 * 1000);
  expect(prunes).toHaveLength(3);
});
