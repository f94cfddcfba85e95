import { afterAll, vi } from "vitest";

// Files of one worker share its globals: what a file replaced must not reach the next one.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
