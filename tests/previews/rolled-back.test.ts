import { setImmediate as nextTurn } from "node:timers/promises";
import { type PreviewContext, type PreviewResult, rolledBack, rowEffects } from "countersign/previews";
import { asc, eq, sql } from "drizzle-orm";
import { integer, pgTable, serial, text } from "drizzle-orm/pg-core";
import { drizzle as drizzlePglite } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import fc from "fast-check";
import type postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptyPostgres, freshPglite } from "../support/databases.js";
import { holdForEnough } from "../support/properties/hold-for-enough.js";

const orders = pgTable("rehearsed_orders", {
  id: integer("id").primaryKey(),
  status: text("status").notNull(),
});
const notes = pgTable("rehearsed_notes", {
  id: serial("id").primaryKey(),
  orderId: integer("order_id").references(() => orders.id, { onDelete: "cascade" }),
  text: text("text").notNull(),
});
const tables = `
  create table rehearsed_orders (id int primary key, status text not null);
  create table rehearsed_notes (
    id serial primary key,
    order_id int references rehearsed_orders on delete cascade,
    text text not null
  );
  insert into rehearsed_orders select n, 'open' from generate_series(1, 5) n;
  insert into rehearsed_notes (order_id, text) select n, 'note' from generate_series(1, 5) n`;
const tablesAnew = `drop table if exists rehearsed_notes, rehearsed_orders; ${tables}`;

/** Rows with the place and the transaction of each version, which any committed write would change. */
const everyByte = `
  select (select json_agg(o) from (select ctid, xmin, o.* from rehearsed_orders o order by id) o)::text
      || (select json_agg(n) from (select ctid, xmin, n.* from rehearsed_notes n order by id) n)::text as rows`;

const context = (signal = new AbortController().signal): PreviewContext => ({
  ...{ moment: "proposal", toolName: "cancel_order", tenantId: "t", threadId: null },
  ...{ requester: null, approvalId: null, signal },
});
const nothing: PreviewResult = { effects: [] };

type Write = readonly [kind: "insert" | "update" | "delete" | "note", id: number];
type Drizzle = ReturnType<typeof drizzlePostgres>;
type DrizzleTx = Parameters<Parameters<Drizzle["transaction"]>[0]>[0];
/** Runs statements of a rehearsal, whatever the driver. */
type Run = (statement: string) => PromiseLike<unknown>;

const statementOf = ([kind, id]: Write) =>
  ({
    insert: `insert into rehearsed_orders values (${id}, 'new')`,
    update: `update rehearsed_orders set status = 'changed' where id = ${id}`,
    delete: `delete from rehearsed_orders where id = ${id}`,
    note: `insert into rehearsed_notes (order_id, text) values (${id}, 'more')`,
  })[kind];

/** Whether a rehearsal may still use its transaction. */
async function passes(run: Run): Promise<boolean> {
  try {
    await run("select 1");
    return true;
  } catch {
    return false;
  }
}

/** A promise and what resolves it. */
function signalled() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

interface World extends AsyncDisposable {
  /** Makes the tables and their first rows anew. */
  reset(): Promise<unknown>;
  /** All rows, down to their versions. */
  rows(): Promise<string>;
  rehearse(
    rehearsal: (run: Run, signal: AbortSignal) => Promise<PreviewResult>,
    timeout?: string,
    signal?: AbortSignal,
  ): Promise<PreviewResult>;
  /** A change that another connection commits; not on PGlite, which has one connection. */
  change?: (statement: string) => Promise<unknown>;
}

async function pgliteWorld(): Promise<World> {
  const database = await freshPglite();
  const db = drizzlePglite({ client: database.pglite });
  return {
    reset: () => database.pglite.exec(tablesAnew),
    rows: async () => JSON.stringify((await database.pglite.query(everyByte)).rows),
    rehearse: async (rehearsal, timeout = "4s", signal) => {
      const given = context(signal);
      const preview = rolledBack(db, (tx) => rehearsal((text) => tx.execute(text), given.signal), {
        timeout,
      });
      return preview({}, given);
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function postgresWorld(
  preview: (
    client: postgres.Sql,
    rehearsal: (run: Run) => Promise<PreviewResult>,
    timeout: string,
  ) => unknown,
): Promise<World> {
  const database = await emptyPostgres(5);
  return {
    reset: () => database.postgres.unsafe(tablesAnew),
    rows: async () => JSON.stringify(await database.postgres.unsafe(everyByte)),
    rehearse: async (rehearsal, timeout = "4s", signal) => {
      const given = context(signal);
      const run = preview(database.postgres, (statement) => rehearsal(statement, given.signal), timeout);
      return (run as ReturnType<typeof rolledBack>)({}, given);
    },
    change: (statement) => database.admin.unsafe(statement),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

const worlds = [
  { name: "Drizzle on PGlite", open: pgliteWorld },
  {
    name: "Drizzle on Postgres",
    open: () =>
      postgresWorld((client, rehearsal, timeout) =>
        rolledBack(drizzlePostgres({ client }), (tx) => rehearsal((text) => tx.execute(text)), { timeout }),
      ),
  },
  {
    name: "postgres.js",
    open: () =>
      postgresWorld((client, rehearsal, timeout) =>
        rolledBack(client, (tx) => rehearsal((text) => tx.unsafe(text)), { timeout }),
      ),
  },
] as const;

describe.each(worlds)("rolledBack with $name", ({ name, open }) => {
  let world: World;

  beforeAll(async () => {
    world = await open();
  });

  beforeEach(() => world.reset());

  afterAll(() => world[Symbol.asyncDispose]());

  it("leaves every table as it was, whatever the rehearsal writes and however it ends", async () => {
    const before = await world.rows();
    const write = fc.tuple(
      fc.constantFrom("insert" as const, "update" as const, "delete" as const, "note" as const),
      fc.integer({ min: 1, max: 8 }),
    );
    const end = fc.constantFrom("return", "throw", "nonsense", "swallow", "commit", "commit and swallow");
    const property = fc.asyncProperty(fc.array(write, { maxLength: 8 }), end, async (writes, how) => {
      const rehearsal = async (run: Run) => {
        const tolerant = how.endsWith("swallow");
        for (const one of writes) {
          if (tolerant) await Promise.resolve(run(statementOf(one))).catch(() => {});
          else await run(statementOf(one));
        }
        if (how === "throw") throw new Error("no");
        if (how === "commit") await run("commit");
        if (how === "commit and swallow") await Promise.resolve(run("commit")).catch(() => {});
        return how === "nonsense" ? (undefined as unknown as PreviewResult) : nothing;
      };
      const result = await world.rehearse(rehearsal).catch((error: unknown) => error);
      expect(await world.rows()).toBe(before);
      if (["throw", "nonsense", "commit", "commit and swallow"].includes(how)) {
        expect(result).toBeInstanceOf(Error);
      }
    });
    await holdForEnough(property, { numRuns: 30, interruptAfterTimeLimit: 60_000 }, 15);
  });

  it("returns what the rehearsal found out about its changes", async () => {
    const result = await world.rehearse(async (run) => {
      await run("update rehearsed_orders set status = 'cancelled' where id = 2");
      const read = await run("select status from rehearsed_orders where id = 2");
      const [row] = Array.isArray(read) ? read : (read as { rows: { status: string }[] }).rows;
      return { effects: [{ target: "order 2", after: row.status }] };
    });
    expect(result).toEqual({ effects: [{ target: "order 2", after: "cancelled" }] });
  });

  it("gives no preview if a statement failed and the rehearsal hid it", async () => {
    const result = world.rehearse(async (run) => {
      await Promise.resolve(run("insert into rehearsed_orders values (1, 'twice')")).catch(() => {});
      return nothing;
    });
    await expect(result).rejects.toThrow();
  });

  it("says why a rehearsal that commits gives no preview", async () => {
    const result = world.rehearse(async (run) => {
      await run("insert into rehearsed_orders values (9, 'kept?')");
      await run("commit");
      return nothing;
    });
    const error = await result.catch((thrown: unknown) => thrown);
    const said = error instanceof Error ? `${error.message} ${String(error.cause)}` : "";
    expect(said).toContain("A rehearsal must not commit");
  });

  it.each([
    ["its time", "1s"],
    ["its preview was given up", "10m"],
  ])("lets nothing pass that a rehearsal does after %s, and frees its locks", async (_when, timeout) => {
    const before = await world.rows();
    const locked = signalled();
    const late = signalled();
    const given = new AbortController();
    const result = world.rehearse(
      async (run) => {
        await run("update rehearsed_orders set status = 'late'");
        locked.resolve();
        if (timeout !== "1s") given.abort();
        while (await passes(run)) await nextTurn();
        await late.promise;
        await run("insert into rehearsed_orders values (10, 'late')");
        return nothing;
      },
      timeout,
      given.signal,
    );
    const failed = expect(result).rejects.toThrow("The rehearsal is over");
    await locked.promise;
    // While the rehearsal still hangs.
    await world.change?.("set lock_timeout = '20s'");
    await world.change?.("delete from rehearsed_orders where id = 5");
    late.resolve();
    await failed;
    const after = await world.rows();
    expect(after).not.toContain("late");
    if (!world.change) expect(after).toBe(before);
  });

  it("lets nothing pass that a rehearsal did not await", async () => {
    const before = await world.rows();
    const ended = signalled();
    let floating: Promise<unknown> = Promise.resolve();
    await world.rehearse(async (run) => {
      floating = (async () => {
        await run("update rehearsed_orders set status = 'floating' where id = 1");
        await ended.promise;
        await run("update rehearsed_orders set status = 'floating' where id = 2");
      })();
      return nothing;
    });
    ended.resolve();
    await expect(floating).rejects.toThrow("The rehearsal is over");
    expect(await world.rows()).toBe(before);
  });

  it("does not begin when the preview's time is over", async () => {
    let began = false;
    const result = world.rehearse(
      async () => {
        began = true;
        return nothing;
      },
      "4s",
      AbortSignal.abort(new Error("late")),
    );
    await expect(result).rejects.toThrow("late");
    expect(began).toBe(false);
  });

  it.skipIf(name === "Drizzle on PGlite")("ends a statement that hangs, and its locks", async () => {
    const before = await world.rows();
    const result = world.rehearse(async (run) => {
      await run("update rehearsed_orders set status = 'hanging'");
      await run("select pg_sleep(600)");
      return nothing;
    }, "1s");
    await expect(result).rejects.toThrow();
    expect(await world.rows()).toBe(before);
    await world.change?.("update rehearsed_orders set status = status where id = 1");
  });

  it.skipIf(name === "Drizzle on PGlite")("rehearses at once on many connections", async () => {
    const before = await world.rows();
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, (_, at) =>
        world.rehearse(async (run) => {
          await run(`update rehearsed_orders set status = 'at once' where id = ${1 + (at % 5)}`);
          await run(`insert into rehearsed_orders values (${100 + (at % 3)}, 'new')`);
          if (at % 4 === 0) throw new Error("no");
          return { effects: [], state: at };
        }),
      ),
    );
    expect(await world.rows()).toBe(before);
    results.forEach((result, at) => {
      if (at % 4 === 0) expect(result.status).toBe("rejected");
      else if (result.status === "fulfilled") expect(result.value.state).toBe(at);
    });
    expect(results.some(({ status }) => status === "fulfilled")).toBe(true);
  });
});

describe("rolledBack", () => {
  it("rolls back nested transactions and the queries that Drizzle builds", async () => {
    await using database = await emptyPostgres(2);
    await database.postgres.unsafe(tables);
    const db = drizzlePostgres({ client: database.postgres });
    const read = (tx: DrizzleTx) => tx.select().from(orders).orderBy(asc(orders.id));
    const preview = rolledBack(db, async (tx, { id }: { id: number }) => {
      const before = await read(tx);
      await tx.transaction(async (nested) => {
        await nested.update(orders).set({ status: "cancelled" }).where(eq(orders.id, id));
        await nested.insert(notes).values({ orderId: id, text: "cancelled" });
      });
      return rowEffects("order", before, await read(tx), { key: "id" });
    });
    const effects = [{ target: "order 3", before: { status: "open" }, after: { status: "cancelled" } }];
    const first = await preview({ id: 3 }, context());
    expect(first.effects).toEqual(effects);
    expect(await preview({ id: 3 }, context())).toEqual(first);
    expect(await database.admin.unsafe("select count(*)::int n from rehearsed_notes")).toMatchObject([
      { n: 5 },
    ]);
    await db.update(orders).set({ status: "shipped" }).where(eq(orders.id, 3));
    expect((await preview({ id: 3 }, context())).state).not.toBe(first.state);
  });

  it("lets nothing pass that a nested transaction does after the end", async () => {
    await using database = await emptyPostgres(2);
    await database.postgres.unsafe(tables);
    const kept: { nested?: DrizzleTx } = {};
    const preview = rolledBack(drizzlePostgres({ client: database.postgres }), async (tx) => {
      await tx.transaction(async (nested) => {
        kept.nested = nested;
      });
      return nothing;
    });
    await preview({}, context());
    expect(() => kept.nested?.execute(sql`delete from rehearsed_notes`)).toThrow("The rehearsal is over");
  });

  it("writes nothing to a database that has no real transactions", async () => {
    await using database = await freshPglite();
    await database.pglite.exec(tables);
    const db = drizzlePglite({ client: database.pglite });
    const pretending = { transaction: (work: (tx: typeof db) => Promise<unknown>) => work(db) };
    const preview = rolledBack(pretending, async (tx) => {
      await tx.delete(notes);
      return nothing;
    });
    await expect(preview({}, context())).rejects.toThrow();
    expect(await db.$count(notes)).toBe(5);
  });

  it("gives no preview if the database hides that it rolled back", async () => {
    await using database = await freshPglite();
    await database.pglite.exec(tables);
    const db = drizzlePglite({ client: database.pglite });
    type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];
    const hiding = {
      transaction: (work: (tx: Tx) => Promise<unknown>) => db.transaction((tx) => work(tx).catch(() => {})),
    };
    const preview = rolledBack(hiding, async (tx) => {
      await tx.delete(notes);
      return nothing;
    });
    await expect(preview({}, context())).rejects.toThrow();
    expect(await db.$count(notes)).toBe(5);
  });

  it("keeps a limit of the session that is stricter than its own", async () => {
    await using database = await emptyPostgres(1);
    await database.postgres.unsafe("set lock_timeout = '300ms'; set statement_timeout = '1min'");
    const preview = rolledBack(database.postgres, async (tx) => {
      const [limits] =
        await tx`select current_setting('lock_timeout') l, current_setting('statement_timeout') s`;
      return { effects: [], state: limits };
    });
    expect((await preview({}, context())).state).toEqual({ l: "300ms", s: "4s" });
    expect(await database.postgres`show statement_timeout`).toMatchObject([{ statement_timeout: "1min" }]);
  });

  it("refuses what is no database, and no duration", () => {
    expect(() => rolledBack({} as never, () => nothing)).toThrow(/^database: must be/);
    const client = { begin: async () => {} };
    expect(() => rolledBack(client, () => nothing, { timeout: "soon" })).toThrow(/^timeout: must be/);
  });
});
