import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createNotices } from "./notices.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("notices that the database does not answer take one connection, and later ones are sent once it answers", async () => {
  const sent: string[][] = [];
  const answers: (() => void)[] = [];
  const notices = createNotices((payloads) => {
    sent.push(payloads);
    return new Promise<void>((resolve) => answers.push(resolve));
  });
  notices.add(["one"]);
  notices.add(["two"]);
  expect(sent).toEqual([["one"]]);
  // Who looks for changes finds these.
  await vi.advanceTimersByTimeAsync(10_000);
  notices.add(["three"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toEqual([["one"]]);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(1_000);
  notices.add(["four"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual([["one"], ["four"]]);
});

it("what comes while a notice is answered in time goes with the next one", async () => {
  const sent: string[][] = [];
  const notices = createNotices(async (payloads) => void sent.push(payloads));
  notices.add(["one"]);
  notices.add(["two"]);
  notices.add(["two", "three"]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent).toEqual([["one"], ["two", "three"]]);
});
