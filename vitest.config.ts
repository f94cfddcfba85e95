import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { FailuresAtOnce } from "./tests/support/run/failures-at-once.js";
import { LongestFirst } from "./tests/support/run/longest-first.js";
import { ProductWarnings } from "./tests/support/run/product-warnings.js";

/** What a quiet machine does in a minute takes a busy one ten; a test's own timeout is shorter where that matters. */
const patient = { testTimeout: 600_000, hookTimeout: 600_000, expect: { poll: { timeout: 60_000 } } };

/** The files of a worker share its modules: to load the libraries anew for each would take a fifth of the run. */
const shared = {
  isolate: false,
  setupFiles: ["tests/support/run/restore-globals.ts"],
  // Collecting young objects less often saves a twentieth of the time. Projects do not take this over from above.
  execArgv: [
    "--max-semi-space-size=64",
    "--import",
    new URL("./tests/support/run/plain-environment.mjs", import.meta.url).href,
  ],
};

/** After the unit tests, which have their own number of workers. */
const afterUnit = { sequence: { groupOrder: 1 } };

/** Built packages are loaded as users load them, by Node, and not transformed once more. */
const built = { server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } } };

/** The first proof of each invariant, way in and channel, which CONTRIBUTING.md lists, and the pages used most. */
const core = "tests/core/**/*.test.ts";
const pages = "tests/browser/{deciding,safe-hands}.test.ts";

/**
 * Proofs about the proofs: that chaos finds planted bugs, that the local engine is a true stand-in, that every way of
 * replaying gives the same result, that killed processes lose nothing, and that every state of the inbox can be read. They
 * take long, and run in `npm run verify`.
 */
const proofs = [
  "tests/browser/{accessibility,gallery}.test.ts",
  "tests/chaos/plants.test.ts",
  "tests/conformance/**/*.test.ts",
  "tests/durability/kill-nine/**/*.test.ts",
  "tests/durability/replay/**/*.test.ts",
];

/** Tests beside the source that need databases: what the SDK of Inngest finds at the local engine, and connections. */
const withDatabases = [
  "packages/local-engine/src/{api,durability,sdk-tests}/**/*.test.ts",
  "packages/countersign/src/**/*.postgres.test.ts",
];

/** Files that look at what the whole process does: each has one of its own. */
const alone = ["tests/chaos/**/*.test.ts", "tests/database/many-pending.test.ts"];

export default defineConfig({
  test: {
    // Starts one Postgres for the whole run, unless only unit tests run.
    globalSetup: ["tests/support/postgres/postgres-server.ts"],
    reporters: ["default", "json", new FailuresAtOnce(), new ProductWarnings()],
    silent: "passed-only",
    // Each file is a line already.
    slowTestThreshold: 60_000,
    outputFile: { json: "test-results/vitest.json" },
    // More than the cores of a small machine: files often wait for a database, a server or a timer.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          // Without a database and without a server, so they never wait: each further worker only loads all modules once more.
          ...{
            name: "unit",
            ...patient,
            ...shared,
            setupFiles: [...shared.setupFiles, "packages/inbox/src/testing/english.ts"],
            maxWorkers: availableParallelism(),
            sequence: { groupOrder: 0 },
          },
          include: ["packages/*/src/**/*.test.ts", "apps/*/src/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...withDatabases],
        },
      },
      { test: { ...{ name: "core", ...afterUnit, ...patient, ...shared, ...built }, include: [core] } },
      { test: { ...{ name: "pages", ...afterUnit, ...patient, ...shared, ...built }, include: [pages] } },
      {
        test: {
          ...{ name: "integration", ...afterUnit, ...patient, ...shared, ...built },
          include: ["tests/**/*.test.ts", ...withDatabases],
          exclude: [...configDefaults.exclude, core, "tests/browser/**", ...alone, ...proofs],
        },
      },
      {
        test: {
          ...{ name: "integration-alone", ...afterUnit, ...patient, ...built },
          include: alone,
          exclude: [...configDefaults.exclude, ...proofs],
        },
      },
      { test: { ...{ name: "proofs", ...afterUnit, ...patient, ...built }, include: proofs } },
      {
        test: {
          ...{ name: "browser", ...afterUnit, ...patient, ...shared, ...built },
          include: ["tests/browser/**/*.test.ts"],
          exclude: [...configDefaults.exclude, pages, ...proofs],
        },
      },
    ],
  },
});
