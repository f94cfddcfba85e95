import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRepeatableRead } from "./repeatable-read.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Reads that end when they are told to. */
function slowReads() {
  const ends: ((error?: Error) => void)[] = [];
  const read = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  return { read, ends };
}

it("causes one more read, however often it is called during one", async () => {
  const { read, ends } = slowReads();
  const log = createRepeatableRead(read);
  log.read();
  log.read();
  log.read();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(2);
});

it("repeats a read that failed after a second, and reports the error", async () => {
  const { read, ends } = slowReads();
  const errors: unknown[] = [];
  const log = createRepeatableRead(read, (error) => errors.push(error));
  log.read();
  ends[0]?.(new Error("no database"));
  await vi.advanceTimersByTimeAsync(999);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  expect(errors).toEqual([new Error("no database")]);
});

it("reads no more after it is closed", async () => {
  const { read, ends } = slowReads();
  const log = createRepeatableRead(read);
  log.read();
  log.close();
  ends[0]?.(new Error("no database"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(1);
});
