import { afterAll, afterEach, vi } from "vitest";
import { isTaken, takeNoMore } from "./warnings.js";

const printed = { warn: console.warn, error: console.error };
for (const level of ["warn", "error"] as const) {
  console[level] = (...words: unknown[]) => {
    if (!isTaken(words)) printed[level](...words);
  };
}
afterEach(takeNoMore);

// Files of one worker share its globals: what a file replaced must not reach the next one.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  Object.assign(console, printed);
});
