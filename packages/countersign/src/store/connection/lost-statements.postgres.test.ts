import { setImmediate as nextTurn } from "node:timers/promises";
import postgres from "postgres";
import { expect, it, vi } from "vitest";
import { freshPostgres } from "../../../../../tests/support/databases.js";
import {
  endConnections,
  untilWaitingForLock,
} from "../../../../../tests/support/postgres/server-connections.js";
import { tcpProxy } from "../../../../../tests/support/postgres/tcp-proxy.js";
import { lastingClient, type PoolWatch } from "./lost-connections.js";
import { sendingOnce } from "./lost-statements.js";

// A rejection that nobody handles, or an exception from a timer of the driver: Vitest reports both as a failure.

const read = "select $1::text as word";
const insert = "insert into public.notes values ($1)";
/** Writes as soon as it gets the lock. */
const write = `insert into public.notes
  select $1::text from (select pg_advisory_xact_lock(1)) as locked returning word`;

/** A database with an empty table, and a lock that a test can hold. */
async function openDatabase() {
  const database = await freshPostgres();
  const { admin } = database;
  await admin.unsafe("create table public.notes (word text); grant all on public.notes to public");
  return {
    ...database,
    words: async () => (await admin`select word from public.notes`).map(({ word }) => String(word)),
    lock: async () => void (await admin`select pg_advisory_lock(1)`),
    unlock: async () => void (await admin`select pg_advisory_unlock(1)`),
  };
}

/** The database behind a proxy. */
async function openBehindProxy() {
  const database = await openDatabase();
  const url = new URL(database.url);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  return {
    ...database,
    proxy,
    url: url.href,
    async [Symbol.asyncDispose]() {
      proxy.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A client that notes what it sends, and whose pool a test can have replaced. */
function openClient(url: string, { max = 1, owned = true } = {}) {
  const sent: string[] = [];
  const client = postgres(url, {
    ...{ max, fetch_types: false, onnotice: () => {} },
    debug: (_connection, _text, parameters) => void sent.push(...parameters.map(String)),
  });
  let lose = () => {};
  let underWay = 0;
  const watch = (_shared: boolean, onSilence: (error: Error) => void): PoolWatch => {
    lose = () => onSilence(new Error("The pool is lost"));
    return {
      enter() {
        underWay++;
        return { begun: () => {}, sent: () => {}, answered: () => {}, ended: () => underWay-- };
      },
    };
  };
  const lasting = lastingClient(client, { owned, watch });
  const once = sendingOnce(lasting.pools);
  return {
    client,
    sent,
    lasting: lasting.sql,
    lose: () => lose(),
    /** Statements that the watch is notified of, and has not been told the end of. */
    underWay: () => underWay,
    once: (
      text: string,
      word: string,
      { repeatable = false, expired = new AbortController().signal, begin = () => {} } = {},
    ) => once({ text, parameters: [word] }, { repeatable, expired, begin }),
    async [Symbol.asyncDispose]() {
      await lasting.close();
      if (!owned) await client.end({ timeout: 1 });
    },
  };
}

it("a statement outside of a transaction gets its own rows, however many are sent at once", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  const words = Array.from({ length: 20 }, (_, n) => `word ${n}`);
  const answers = await Promise.all(words.map((word) => pool.once(read, word)));
  expect(answers).toEqual(words.map((word) => [expect.objectContaining({ word })]));
  expect(pool.sent).toEqual(words);
  expect(pool.underWay()).toBe(0);
});

it("a statement is not sent behind another one that waits for a lock", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  // Behind a statement that is not yet prepared, the driver sends nothing anyway.
  await pool.once(write, "prepares");
  await database.lock();
  const first = pool.once(write, "first");
  const second = pool.once(read, "second");
  const third = pool.lasting.unsafe(read, ["third"]).execute();
  const fourth = pool.lasting.begin((tx) => tx.unsafe(read, ["fourth"]));
  await untilWaitingForLock(database.admin, 1);
  expect(pool.sent).toEqual(["prepares", "first"]);
  await database.unlock();
  expect(await Promise.all([first, second, third, fourth])).toMatchObject([
    [{ word: "first" }],
    [{ word: "second" }],
    [{ word: "third" }],
    [{ word: "fourth" }],
  ]);
  expect(pool.sent).toEqual(["prepares", "first", "second", "third", "fourth"]);
});

it("statements take turns on another connection while one waits for a lock", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url, { max: 2 });
  await Promise.all([pool.once(write, "prepares"), pool.once(write, "prepares")]);
  await database.lock();
  const waiting = pool.once(write, "waits");
  const words = ["one", "two", "three", "four"];
  const answers = await Promise.all(words.map((word) => pool.once(read, word)));
  expect(answers).toMatchObject(words.map((word) => [{ word }]));
  await untilWaitingForLock(database.admin, 1);
  await database.unlock();
  expect(await waiting).toMatchObject([{ word: "waits" }]);
});

it("a statement that was not sent when its pool was lost goes to the next pool", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  await pool.once(read, "opens the connection");
  await database.lock();
  const lost = expect(pool.once(write, "lost")).rejects.toThrow(/terminating connection|CONNECTION_CLOSED/);
  const moved = pool.once(write, "moved");
  await untilWaitingForLock(database.admin, 1);
  await endConnections(database.admin);
  await lost;
  await database.unlock();
  expect(await moved).toMatchObject([{ word: "moved" }]);
  expect(await database.words()).toEqual(["moved"]);
  expect(pool.sent).toEqual(["opens the connection", "lost", "moved"]);
  expect(pool.underWay()).toBe(0);
});

it("a statement goes to the next pool while its connection still opens, which others can use afterwards", async () => {
  await using database = await openBehindProxy();
  await using pool = openClient(database.url, { owned: false });
  database.proxy.stall();
  const moved = pool.once(write, "moved");
  await nextTurn();
  pool.lose();
  database.proxy.flow();
  expect(await moved).toMatchObject([{ word: "moved" }]);
  expect(await pool.client.unsafe(read, ["of the owner"])).toMatchObject([{ word: "of the owner" }]);
  expect(await database.words()).toEqual(["moved"]);
  expect(pool.sent.toSorted()).toEqual(["moved", "of the owner"]);
});

it("a statement whose connection ends fails with the loss, and its pool keeps working", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  for (const repeatable of [false, true]) {
    await database.lock();
    const lost = expect(pool.once(write, "lost", { repeatable })).rejects.toThrow(
      /terminating connection|CONNECTION_CLOSED/,
    );
    await untilWaitingForLock(database.admin, 1);
    await endConnections(database.admin);
    await lost;
    await database.unlock();
    expect(await pool.once(read, "after the loss")).toMatchObject([{ word: "after the loss" }]);
  }
  expect(await database.words()).toEqual([]);
  expect(pool.underWay()).toBe(0);
});

it("a repeatable statement that is never answered goes to the next pool", async () => {
  await using database = await openBehindProxy();
  await using pool = openClient(database.url);
  await pool.once(read, "opens the connection");
  database.proxy.silence();
  const moved = pool.once(read, "moved", { repeatable: true });
  await expect.poll(() => pool.sent).toContain("moved");
  pool.lose();
  expect(await moved).toMatchObject([{ word: "moved" }]);
  expect(pool.sent).toEqual(["opens the connection", "moved", "moved"]);
  expect(pool.underWay()).toBe(0);
});

it("a statement that is not repeatable and is never answered fails a second after its pool was lost", async () => {
  await using database = await openBehindProxy();
  await using pool = openClient(database.url);
  await database.lock();
  const failed = expect(pool.once(write, "once")).rejects.toThrow("The pool is lost");
  await untilWaitingForLock(database.admin, 1);
  database.proxy.silence();
  await database.unlock();
  await expect.poll(database.words).toEqual(["once"]);
  pool.lose();
  expect(await pool.once(read, "on the next pool")).toMatchObject([{ word: "on the next pool" }]);
  await failed;
  expect(await database.words()).toEqual(["once"]);
  expect(pool.sent).toEqual(["once", "on the next pool"]);
  expect(pool.underWay()).toBe(0);
});

it("a statement that is not repeatable may still be answered for a second after its pool was lost", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  await database.lock();
  const answered = pool.once(write, "answered late");
  await untilWaitingForLock(database.admin, 1);
  let isOver = false;
  const isOverNow = () => {
    isOver = true;
  };
  answered.then(isOverNow, isOverNow);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    pool.lose();
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await database.unlock();
    expect(await answered).toMatchObject([{ word: "answered late" }]);
  } finally {
    vi.useRealTimers();
  }
});

it("a statement that expires while it waits for a connection is never sent", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  await pool.once(read, "opens the connection");
  await database.lock();
  const first = pool.once(write, "first");
  const expiry = new AbortController();
  const expired = expect(pool.once(write, "expired", { expired: expiry.signal })).rejects.toThrow();
  await untilWaitingForLock(database.admin, 1);
  expiry.abort();
  await expired;
  await database.unlock();
  await first;
  expect(await pool.once(write, "last")).toMatchObject([{ word: "last" }]);
  expect(await database.words()).toEqual(["first", "last"]);
  expect(pool.sent).not.toContain("expired");
  expect(pool.underWay()).toBe(0);
});

it("a statement that expires while its connection opens is never sent, and the connection works", async () => {
  await using database = await openBehindProxy();
  await using pool = openClient(database.url);
  database.proxy.stall();
  const expiry = new AbortController();
  const expired = expect(pool.once(write, "expired", { expired: expiry.signal })).rejects.toThrow();
  await nextTurn();
  expiry.abort();
  await expired;
  database.proxy.flow();
  expect(await pool.once(write, "last")).toMatchObject([{ word: "last" }]);
  expect(await database.words()).toEqual(["last"]);
  expect(pool.sent).toEqual(["last"]);
  expect(pool.underWay()).toBe(0);
});

it("a statement that expires in the same turn in which it is given to the driver is never sent", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  for (const word of ["opens the connection", "uses it"]) {
    const expiry = new AbortController();
    const expired = expect(pool.once(write, "expired", { expired: expiry.signal })).rejects.toThrow();
    expiry.abort();
    await expired;
    expect(await pool.once(write, word)).toMatchObject([{ word }]);
  }
  expect(pool.sent).toEqual(["opens the connection", "uses it"]);
  expect(pool.underWay()).toBe(0);
});

it("a statement that has expired already is never sent", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url);
  await pool.once(read, "opens the connection");
  await database.lock();
  // A statement of the owner may be ahead on the same connection: it must not fail instead.
  const ahead = pool.lasting.unsafe(write, ["ahead"]).execute();
  await untilWaitingForLock(database.admin, 1);
  const begin = vi.fn(() => {
    throw new Error("The caller has timed out");
  });
  await expect(pool.once(write, "expired", { expired: AbortSignal.abort(), begin })).rejects.toThrow();
  await database.unlock();
  expect(await ahead).toMatchObject([{ word: "ahead" }]);
  expect(await pool.once(write, "last")).toMatchObject([{ word: "last" }]);
  expect(await database.words()).toEqual(["ahead", "last"]);
  expect(pool.underWay()).toBe(0);
});

it("statements on connections that end repeatedly are executed at most once, and the pool recovers", async () => {
  await using database = await openDatabase();
  await using pool = openClient(database.url, { max: 4 });
  let calm = false;
  const written: string[] = [];
  const failures: unknown[] = [];
  const work = async (_: unknown, worker: number) => {
    for (let n = 0; !calm; n++) {
      const word = `${worker}, ${n}`;
      try {
        await pool.once(read, word, { repeatable: true });
        await pool.once(insert, word);
        written.push(word);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  const workers = Array.from({ length: 6 }, work);
  for (let round = 0; round < 20; round++) {
    const before = written.length;
    await expect.poll(() => written.length, { timeout: 60_000, interval: 5 }).toBeGreaterThan(before);
    await endConnections(database.admin);
  }
  calm = true;
  await Promise.all(workers);
  const words = await database.words();
  expect(new Set(words).size).toBe(words.length);
  expect(words).toEqual(expect.arrayContaining(written));
  expect(failures.length).toBeGreaterThan(0);
  for (const failure of failures) {
    expect(String(failure)).toMatch(/terminating connection|CONNECTION_CLOSED|ECONNRESET|EPIPE/);
  }
  // All of its connections work.
  await database.lock();
  const all = [1, 2, 3, 4].map((n) => pool.once(write, `last ${n}`));
  await untilWaitingForLock(database.admin, 4);
  await database.unlock();
  await Promise.all(all);
  expect(pool.underWay()).toBe(0);
});
