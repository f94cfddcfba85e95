import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareTestHarness } from "@countersign/testing";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { migrateOnce } from "./migrated-database.js";
import { startPostgres } from "./own-postgres.mjs";

declare module "vitest" {
  interface ProvidedContext {
    /** A real Postgres for this test run; make a database of your own with `freshPostgres()`. */
    postgresUrl: string;
    /** The same server, as the role that owns the test databases: no superuser, so that row-level security binds it. */
    postgresOwnerUrl: string;
    /** The path of its Unix socket; `undefined` on Windows. */
    postgresSocket: string | undefined;
    /** A folder that the tests of one run share. */
    scratchFolder: string;
  }
}

/** Turns off durability and autovacuum, which would cost time for each of the thousands of databases of a run. */
const withoutUpkeep = ["fsync=off", "full_page_writes=off", "autovacuum=off", "checkpoint_timeout=1d"];

/** Bytes that the databases of a run may take at once, with room to spare. */
const enoughMemory = 3 * 2 ** 30;

/** Creating a database in memory takes a tenth of the time that it takes on a disk. */
function fastFolder(): string {
  const memory = "/dev/shm";
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= enoughMemory ? memory : tmpdir();
  } catch {
    return tmpdir();
  }
}

/**
 * Gives the whole test run a temporary folder, which is removed at the end with everything that tests left there, and
 * one real Postgres, unless all tests are unit tests.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchFolder = mkdtempSync(join(tmpdir(), "countersign-tests-"));
  // Postgres refuses to run as root, and runs as a user of its own.
  chmodSync(scratchFolder, 0o755);
  const removeScratch = () => rmSync(scratchFolder, { recursive: true, force: true, maxRetries: 3 });
  const folder = fastFolder();
  // Workers and the processes that they start read these.
  for (const name of ["TMPDIR", "TMP", "TEMP"]) process.env[name] = scratchFolder;
  project.provide("scratchFolder", scratchFolder);
  if (project.vitest.projects.every(({ name }) => name === "unit")) return async () => removeScratch();
  // The image of PGlite that all workers load: without it, each of them would make one.
  const [server] = await Promise.all([startPostgres({ flags: withoutUpkeep, folder }), prepareTestHarness()]);
  const admin = postgres(`${server.adminUrl}/postgres`, { max: 1 });
  await migrateOnce(admin, server.ownerUrl);
  await admin.end();
  project.provide("postgresUrl", server.adminUrl);
  project.provide("postgresOwnerUrl", server.ownerUrl);
  project.provide("postgresSocket", server.socket);
  return async () => {
    await server.stop();
    removeScratch();
  };
}
