import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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

/** Starts one real Postgres for the whole test run, unless all of it is unit tests. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (project.vitest.projects.every(({ name }) => name === "unit")) return undefined;
  const server = await startPostgres({ flags: withoutUpkeep });
  const admin = postgres(`${server.adminUrl}/postgres`, { max: 1 });
  await migrateOnce(admin, server.ownerUrl);
  await admin.end();
  const scratchFolder = mkdtempSync(join(tmpdir(), "countersign-tests-"));
  project.provide("postgresUrl", server.adminUrl);
  project.provide("postgresOwnerUrl", server.ownerUrl);
  project.provide("postgresSocket", server.socket);
  project.provide("scratchFolder", scratchFolder);
  return async () => {
    await server.stop();
    rmSync(scratchFolder, { recursive: true, force: true });
  };
}
