import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRepeatableRead } from "./repeatable-read.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Reads that the test ends by hand. */
function slowReads() {
  const ends: ((error?: Error) => void)[] = [];
  const read = () =>
    new Promise<void>((resolve, reject) => {
      ends.push((error) => (error ? reject(error) : resolve()));
    });
  return { read, ends };
}

it("calls of read() during a read cause one more read, however many they are", async () => {
  const { read, ends } = slowReads();
  const reader = createRepeatableRead(read);
  reader.read();
  reader.read();
  reader.read();
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  ends[1]?.();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(2);
});

it("a failed read is repeated after one second, and its error is reported", async () => {
  const { read, ends } = slowReads();
  const errors: unknown[] = [];
  const reader = createRepeatableRead(read, (error) => errors.push(error));
  reader.read();
  ends[0]?.(new Error("no database"));
  await vi.advanceTimersByTimeAsync(999);
  expect(ends).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(ends).toHaveLength(2);
  expect(errors).toEqual([new Error("no database")]);
});

it("a failed read is not repeated after close()", async () => {
  const { read, ends } = slowReads();
  const reader = createRepeatableRead(read);
  reader.read();
  reader.close();
  ends[0]?.(new Error("no database"));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ends).toHaveLength(1);
});
