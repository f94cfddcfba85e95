import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import postgres from "postgres";
import { expect, it } from "vitest";
import { freshPostgres } from "../../../../../tests/support/databases.js";
import { endConnections } from "../../../../../tests/support/postgres/server-connections.js";
import { tcpProxy } from "../../../../../tests/support/postgres/tcp-proxy.js";
import { proposeCall } from "../../../../../tests/support/proposals.js";
import { postgresStore } from "../../../../../tests/support/store.js";
import { storeClient } from "./postgres-client.js";

// The driver can throw from a timer, where no code can catch it. Vitest reports such an exception as a failure.

const statement = "select pg_sleep(600)";

async function untilRunning(admin: postgres.Sql, query: string): Promise<void> {
  await expect
    .poll(async () => (await admin`select 1 from pg_stat_activity where query = ${query}`).length, {
      timeout: 60_000,
    })
    .toBeGreaterThan(0);
}

it("a statement fails when its connection ends, and its pool keeps working", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url);
  const running = pool.lasting.begin(async (tx) => tx.unsafe(statement));
  const failed = expect(running).rejects.toThrow(/terminating connection|CONNECTION_CLOSED/);
  await untilRunning(database.admin, statement);
  await endConnections(database.admin);
  await failed;
  expect(await pool.lasting.begin((tx) => tx`select 1 as one`)).toEqual([{ one: 1 }]);
});

it("a store opens no connections of its own once its host has ended the client", async () => {
  await using database = await freshPostgres();
  const client = postgres(database.url, { max: 2, onnotice: () => {} });
  const store = postgresStore({ client });
  await store.readUnpublished("acme", 1);
  await client.end();
  for (let again = 0; again < 2; again++) {
    await expect(store.readUnpublished("acme", 1)).rejects.toThrow("CONNECTION_ENDED");
    await expect(store.auditPosition("acme")).rejects.toThrow("CONNECTION_ENDED");
  }
  const open = database.admin`select 1 from pg_stat_activity where usename <> current_user and datname = current_database()`;
  expect(await open).toEqual([]);
});

it("a statement of a transaction whose connection ended never reaches another transaction", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url);
  await database.admin.unsafe("create table public.notes (words text); grant all on public.notes to public");
  let goOn = () => {};
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let lateStatement: Promise<unknown> | undefined;
  const first = pool.lasting.begin(async (tx) => {
    await tx.unsafe("select 1");
    await until;
    lateStatement = tx.unsafe("insert into public.notes values ('of the one that is gone')");
    await lateStatement;
  });
  const failed = expect(first).rejects.toThrow(/CONNECTION_CLOSED|terminating/);
  await untilRunning(database.admin, "select 1");
  await endConnections(database.admin);
  await failed;
  // Another transaction now uses the only connection of the pool.
  await pool.lasting.begin(async (tx) => {
    await tx.unsafe("insert into public.notes values ('of its own')");
    goOn();
    await until;
    await tx.unsafe("select 2");
  });
  expect(lateStatement).toBeUndefined();
  expect(await database.admin`select words from public.notes`).toEqual([{ words: "of its own" }]);
});

it("a statement gets only its own rows after another one failed in the middle of its rows", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url);
  const failing = pool.lasting.unsafe("select 1 / (3 - n) as part from generate_series(1, 5) n");
  await expect(failing).rejects.toThrow("division by zero");
  expect(await pool.lasting.unsafe("select 1 as one").values()).toEqual([[1]]);
  expect(await pool.lasting.unsafe("select 2 as two")).toEqual([{ two: 2 }]);
});

it("a pool keeps working after it loses a connection outside a transaction", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url);
  // Each row exceeds the server's send buffer, so some rows have arrived when the connection ends.
  const cutOff =
    "select repeat('x', 9000), case when n = 4 then pg_sleep(600) end from generate_series(1, 5) n";
  const failed = expect(pool.lasting.unsafe(cutOff)).rejects.toThrow(/CONNECTION_CLOSED|terminating/);
  await untilRunning(database.admin, cutOff);
  await endConnections(database.admin);
  await failed;
  expect(await pool.lasting.unsafe("select 1 as one")).toEqual([{ one: 1 }]);
});

it("a store whose connections end repeatedly throws its own error, and recovers", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url, 4);
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

it("a pool has all of its connections after they repeatedly ended at once", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url, 4);
  let calm = false;
  const work = async () => {
    // Each worker starts again at once, while the driver still handles the loss.
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

it("a subscriber keeps receiving changes after the connections of its store ended", async () => {
  await using database = await freshPostgres();
  const store = postgresStore({ url: database.url, max: 2 });
  let heard = 0;
  const unsubscribe = await store.subscribe("acme", () => heard++);
  await proposeCall(store);
  await expect.poll(() => heard, { timeout: 60_000 }).toBeGreaterThan(0);
  await endConnections(database.admin);
  // A failing query replaces the pool. The listening connection reopens by itself.
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

it("a statement whose plan is outdated is not written behind the commit of its transaction", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url);
  await database.admin.unsafe("create table public.notes (words text); grant all on public.notes to public");
  const write = async (words: string) => {
    let written: Promise<unknown> | undefined;
    await pool.lasting.begin(async (tx) => {
      written = tx
        .unsafe("insert into public.notes values ($1) returning *", [words], { prepare: true })
        .execute();
      written.catch(() => {});
      // The work does not wait for the answer, so the commit follows the statement at once.
      await nextTurn();
    });
    await written;
  };
  await write("first");
  await database.admin.unsafe("alter table public.notes add column more text");
  await expect(write("second")).rejects.toThrow("cached plan must not change result type");
  expect(await database.admin`select words from public.notes`).toEqual([{ words: "first" }]);
  await write("third");
  expect(await database.admin`select words from public.notes`).toEqual([
    { words: "first" },
    { words: "third" },
  ]);
});

it("a statement with more parameters than the driver accepts fails alone", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url);
  const tooMany = Array.from({ length: 65_534 }, () => "1");
  const failing = pool.lasting.begin(async (tx) => {
    const before = tx.unsafe("select 1 as one").execute();
    expect(() => tx.unsafe("select 2", tooMany)).toThrow("65534 parameters");
    return before;
  });
  expect(await failing).toEqual([{ one: 1 }]);
});

it("a pool that replaces a lost one never asks for the types of arrays", async () => {
  await using database = await freshPostgres();
  await using pool = await openPool(database.url, 1, {});
  expect(pool.lasting.options.fetch_types).toBe(true);
  const running = pool.lasting.begin(async (tx) => tx.unsafe(statement));
  const failed = expect(running).rejects.toThrow(/terminating connection|CONNECTION_CLOSED/);
  await untilRunning(database.admin, statement);
  await endConnections(database.admin);
  await failed;
  expect(pool.lasting.options.fetch_types).toBe(false);
});

it("the local engine's lost-connections.ts is identical to that of countersign", () => {
  const read = (name: string) =>
    readFileSync(
      new URL(`../../../../${name}/src/store/connection/lost-connections.ts`, import.meta.url),
      "utf8",
    );
  expect(read("local-engine")).toBe(read("countersign"));
});

/** Resolves when statements of the pool are running. */
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

async function openPool(url: string, max = 1, options: object = { fetch_types: false }) {
  const client = postgres(url, { max, ...options, onnotice: () => {} });
  const { sql, close } = storeClient(client, {
    owned: true,
    waitTimeoutMs: 600_000,
    onSilence: () => {},
  });
  return { client, lasting: sql, [Symbol.asyncDispose]: close };
}

it("a statement outside of a transaction that a silent connection never answers does not hold up others", async () => {
  await using database = await freshPostgres();
  const url = new URL(database.url);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  await using pool = await openPool(url.href);
  await pool.lasting.begin((tx) => tx.unsafe("select 1"));
  proxy.silence();
  const unanswered = pool.lasting.unsafe("select 2").then(() => "answered", String);
  expect(await pool.lasting.begin((tx) => tx`select 3 as three`)).toEqual([{ three: 3 }]);
  proxy.close();
  expect(await unanswered).toMatch(/CONNECTION/);
});
