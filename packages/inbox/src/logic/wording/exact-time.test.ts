import { afterEach, expect, it } from "vitest";
import { locale, writeAs } from "../../words/locale.js";
import { exactTime } from "./exact-time.js";

const before = locale;
afterEach(() => writeAs(before));

it.each([
  ["en-US", /^9:05 AM$/],
  ["en-IN", /^9:05 am$/],
  ["en-GB", /^09:05$/],
  ["de-DE", /^09:05$/],
])("writes the hour as people do in %s: with a leading zero only where the day has 24", (next, written) => {
  writeAs(next);
  const morning = new Date(2026, 0, 15, 9, 5);
  const text = exactTime(morning.toISOString(), morning.getTime(), "minute");
  // Between time and half of the day stands a narrow space in some versions.
  expect(text.replace(/\s/g, " ")).toMatch(written);
});
