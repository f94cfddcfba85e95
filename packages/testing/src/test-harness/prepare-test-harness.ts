import { giveBackDatabase, takeDatabase } from "./databases.js";

/**
 * Does the slow work of the first harness beforehand. The first time after an installation, it creates a database image
 * in `node_modules/.cache/countersign`, which takes some seconds. In each process, it loads the packages and opens a
 * database. Call it in vitest's `globalSetup` so that no test waits for the image, and in `beforeAll` so that no test
 * waits at all.
 *
 * @example
 * ```ts
 * import { prepareTestHarness } from "@countersign/testing";
 * import { beforeAll } from "vitest";
 *
 * beforeAll(prepareTestHarness, 30_000);
 * ```
 */
export async function prepareTestHarness(): Promise<void> {
  await import("@countersign/local-engine");
  giveBackDatabase(await takeDatabase());
}
