import { defineConfig } from "vitest/config";

// Tests have another name here, because those of the repository would find them as well.
// On a busy machine a test may take long, so it is its CPU time that the tests themselves limit.
export default defineConfig({
  test: {
    include: ["*.check.ts"],
    globalSetup: ["./prepare.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
