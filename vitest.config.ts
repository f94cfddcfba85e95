import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    globalSetup: ["tests/support/postgres-server.ts"],
    reporters: ["default", "json"],
    outputFile: { json: "test-results/vitest.json" },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Two cores: more files at once only make each of them wait.
    maxWorkers: 2,
  },
});
