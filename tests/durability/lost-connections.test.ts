import { readFileSync } from "node:fs";
import postgres from "postgres";
import { expect, it } from "vitest";
import { lastingClient } from "../../packages/countersign/src/store/connection/lost-connections.js";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

// An exception that nobody can catch, as the driver throws it from a timer, fails every one of these: Vitest sees it.

const statement = "select pg_sleep(600)";

/** Ends every connection to the database but the superuser's own, as a failover or a restart does. */
async function endConnections(admin: postgres.Sql): Promise<void> {
  await admin`select pg_terminate_backend(pid, 10_000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
}

async function untilRunning(admin: postgres.Sql, query: string): Promise<void> {
  await expect
    .poll(async () => (await admin`select 1 from pg_stat_activity where query = ${query}`).length, {
      timeout: 60_000,
    })
    .toBeGreaterThan(0);
}

it("a statement whose connection ends fails, and the same pool goes on", async () => {
  await using database = await freshPostgres();
  await using pool = openPool(database.url);
  const running = pool.lasting.begin(async (tx) => tx.unsafe(statement));
  const failed = expect(running).rejects.toThrow(/terminating connection|CONNECTION_CLOSED/);
  await untilRunning(database.admin, statement);
  await endConnections(database.admin);
  await failed;
  expect(await pool.lasting.begin((tx) => tx`select 1 as one`)).toEqual([{ one: 1 }]);
});

it("what a transaction goes on to say after its connection has ended never reaches another transaction", async () => {
  await using database = await freshPostgres();
  await using pool = openPool(database.url);
  await database.admin.unsafe("create table public.notes (words text); grant all on public.notes to public");
  let goOn = () => {};
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let said: Promise<unknown> | undefined;
  const first = pool.lasting.begin(async (tx) => {
    await tx.unsafe("select 1");
    await until;
    said = tx.unsafe("insert into public.notes values ('of the one that is gone')");
    await said;
  });
  const failed = expect(first).rejects.toThrow(/CONNECTION_CLOSED|terminating/);
  await untilRunning(database.admin, "select 1");
  await endConnections(database.admin);
  await failed;
  // The only connection of the pool is now somebody else's.
  await pool.lasting.begin(async (tx) => {
    await tx.unsafe("insert into public.notes values ('of its own')");
    goOn();
    await until;
    await tx.unsafe("select 2");
  });
  expect(said).toBeUndefined();
  expect(await database.admin`select words from public.notes`).toEqual([{ words: "of its own" }]);
});

it("a statement has its own rows only, after another failed in the middle of its rows", async () => {
  await using database = await freshPostgres();
  await using pool = openPool(database.url);
  const failing = pool.lasting.unsafe("select 1 / (3 - n) as part from generate_series(1, 5) n");
  await expect(failing).rejects.toThrow("division by zero");
  expect(await pool.lasting.unsafe("select 1 as one").values()).toEqual([[1]]);
  expect(await pool.lasting.unsafe("select 2 as two")).toEqual([{ two: 2 }]);
});

it("a pool that loses a connection outside of transactions is replaced as well", async () => {
  await using database = await freshPostgres();
  await using pool = openPool(database.url);
  // Each row is more than the server keeps before it sends, so some are there when the connection ends.
  const cutOff =
    "select repeat('x', 9000), case when n = 4 then pg_sleep(600) end from generate_series(1, 5) n";
  const failed = expect(pool.lasting.unsafe(cutOff)).rejects.toThrow(/CONNECTION_CLOSED|terminating/);
  await untilRunning(database.admin, cutOff);
  await endConnections(database.admin);
  await failed;
  expect(await pool.lasting.unsafe("select 1 as one")).toEqual([{ one: 1 }]);
});

it("a store whose connections end again and again answers with its own error, and recovers", async () => {
  await using database = await freshPostgres();
  await using pool = openPool(database.url, 4);
  const store = postgresStore({ client: pool.client });
  let calm = false;
  const failures = new Set<string>();
  const work = async () => {
    while (!calm) {
      await proposeCall(store).catch((error: unknown) => failures.add(String(error)));
    }
  };
  const workers = Array.from({ length: 8 }, work);
  for (let round = 0; round < 10; round++) {
    await untilBusy(database.admin);
    await endConnections(database.admin);
  }
  calm = true;
  await Promise.all(workers);
  expect(failures.size).toBeGreaterThan(0);
  for (const failure of failures) expect(failure).toContain("The database query of");
  const proposed = await Promise.all(Array.from({ length: 20 }, () => proposeCall(store)));
  expect(proposed.flat()).toHaveLength(20);
});

it("a pool all of whose connections end at once, again and again, is whole afterwards", async () => {
  await using database = await freshPostgres();
  await using pool = openPool(database.url, 4);
  let calm = false;
  const work = async () => {
    // Begins anew at once, in the middle of the driver's own dealing with the loss.
    while (!calm) await pool.lasting.begin((tx) => tx`select pg_sleep(0.001)`).catch(() => {});
  };
  const workers = Array.from({ length: 6 }, work);
  for (let round = 0; round < 50; round++) {
    await untilBusy(database.admin);
    await endConnections(database.admin);
  }
  calm = true;
  await Promise.all(workers);
  let inside = 0;
  const all = Array.from({ length: 4 }, () =>
    pool.lasting.begin(async (tx) => {
      inside++;
      await expect.poll(() => inside, { timeout: 60_000 }).toBe(4);
      await tx`select 1`;
    }),
  );
  await Promise.all(all);
});

it("whoever listens goes on hearing after the pool was replaced", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ url: database.url, max: 2 });
  let heard = 0;
  const unsubscribe = await store.subscribe("acme", () => heard++);
  await proposeCall(store);
  await expect.poll(() => heard, { timeout: 60_000 }).toBeGreaterThan(0);
  await endConnections(database.admin);
  // Whatever fails now is what replaces the pool; the connection that listens is opened again by itself.
  await expect.poll(() => proposeCall(store).catch(() => undefined), { timeout: 60_000 }).toBeDefined();
  await expect
    .poll(
      async () => {
        const before = heard;
        await proposeCall(store);
        return heard > before;
      },
      { timeout: 60_000 },
    )
    .toBe(true);
  await unsubscribe();
  await store.close();
});

it("the engine keeps the same protection, word for word", () => {
  const read = (name: string) =>
    readFileSync(
      new URL(`../../packages/${name}/src/store/connection/lost-connections.ts`, import.meta.url),
      "utf8",
    );
  expect(read("local-engine")).toBe(read("countersign"));
});

/** Statements of the pool are under way. */
async function untilBusy(admin: postgres.Sql): Promise<void> {
  await expect
    .poll(
      async () =>
        (
          await admin`select 1 from pg_stat_activity where datname = current_database()
            and pid <> pg_backend_pid() and state <> 'idle'`
        ).length,
      { timeout: 60_000, interval: 5 },
    )
    .toBeGreaterThan(0);
}

function openPool(url: string, max = 1) {
  const client = postgres(url, { max, fetch_types: false, onnotice: () => {} });
  const { sql, close } = lastingClient(client, true);
  return { client, lasting: sql, [Symbol.asyncDispose]: close };
}
