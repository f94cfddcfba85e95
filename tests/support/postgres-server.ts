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
    /** A folder that the tests of one run share. */
    scratchFolder: string;
  }
}

/** Starts one real Postgres for the whole test run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres({ flags: ["fsync=off"] });
  const admin = postgres(`${server.adminUrl}/postgres`, { max: 1 });
  await migrateOnce(admin, server.ownerUrl);
  await admin.end();
  const scratchFolder = mkdtempSync(join(tmpdir(), "countersign-tests-"));
  project.provide("postgresUrl", server.adminUrl);
  project.provide("postgresOwnerUrl", server.ownerUrl);
  project.provide("scratchFolder", scratchFolder);
  return async () => {
    await server.stop();
    rmSync(scratchFolder, { recursive: true, force: true });
  };
}
