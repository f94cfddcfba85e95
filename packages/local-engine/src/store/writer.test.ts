import { sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import type { EngineEvent } from "../protocol/event.js";
import { emptyPglite } from "../testing/shared-pglite.js";
import { openDatabase } from "./connection/open-database.js";
import { addEvents } from "./events.js";
import { enqueue } from "./queue.js";
import { type Run, runs } from "./schema.js";
import type { Write } from "./write.js";
import { TakenOverError, Writer } from "./writer.js";

type Opened = Awaited<ReturnType<typeof open>>;

const run = (id: string): Run => ({
  id,
  appId: "app",
  functionId: "app-f",
  eventId: "event",
  event: "{}",
  status: "Running",
  output: null,
  requestVersion: -1,
  correlationId: null,
  startedAt: 0,
  endedAt: null,
});

/** A writer that lists the statements it sends. */
async function open() {
  const { db } = await openDatabase({ pglite: await emptyPglite() });
  const statements: string[] = [];
  const committed: Write[] = [];
  const emitted: string[] = [];
  const uncertain: string[] = [];
  const execute = db.execute.bind(db);
  db.execute = ((query: Parameters<typeof execute>[0]) => {
    statements.push("write");
    return execute(query);
  }) as typeof execute;
  const writer = new Writer(db, () => 0, {
    onEmit: async (_, event: EngineEvent) => void emitted.push(event.name),
    onCommit: (write) => committed.push(write),
    onUncertain: () => uncertain.push("uncertain"),
    onSettled() {},
  });
  await writer.takeOver();
  const ids = async () => (await db.select({ id: runs.id }).from(runs)).map(({ id }) => id).sort();
  return { db, writer, statements, committed, emitted, uncertain, ids };
}

const start = (id: string) => async (write: Write) => {
  const state = { run: run(id), steps: new Map(), items: new Map() };
  write.addRun(state);
  enqueue(write, state, ["step"]);
  return id;
};

describe("the writer", () => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await open();
  });

  test("makes writes that wait durable in one statement, in their order", async () => {
    const { writer, statements, committed, ids } = opened;
    expect(await Promise.all(["a", "b", "c"].map((id) => writer.write(start(id))))).toEqual(["a", "b", "c"]);
    expect(statements).toHaveLength(1);
    expect(await ids()).toEqual(["a", "b", "c"]);
    expect(committed.flatMap(({ enqueued }) => enqueued.map(({ runId }) => runId))).toEqual(["a", "b", "c"]);
  });

  test("sends no statement for a write that changes nothing", async () => {
    const { writer, statements } = opened;
    expect(await writer.write(async () => "read")).toBe("read");
    expect(statements).toEqual([]);
  });

  test("fails only the write that cannot be carried out, and keeps nothing of it", async () => {
    const { writer, ids } = opened;
    const fails = writer.write(async (write) => {
      await start("b")(write);
      throw new Error("no");
    });
    const [a, b, c] = await Promise.allSettled([writer.write(start("a")), fails, writer.write(start("c"))]);
    expect([a.status, b.status, c.status]).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await ids()).toEqual(["a", "c"]);
    expect(await writer.write(async (write) => write.runOf("b"))).toBeUndefined();
  });

  test("fails only the write that the database refuses, and reads what the others changed from it", async () => {
    const { writer, db, ids } = opened;
    await db.insert(runs).values(run("b"));
    const written = await Promise.allSettled(["a", "b", "c"].map((id) => writer.write(start(id))));
    expect(written.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await ids()).toEqual(["a", "b", "c"]);
    const items = await writer.write(async (write) => (await write.runOf("b"))?.items.size);
    expect(items).toBe(0);
  });

  test("takes an event that was received before for no new one", async () => {
    const { writer } = opened;
    const event = { id: "e", eventId: "e", name: "t/event", receivedAt: 0 };
    const receive = () => writer.write(async (write) => [...(await addEvents(write, [event]))]);
    expect(await Promise.all([receive(), receive()])).toEqual([["e"], []]);
    expect(await receive()).toEqual([]);
  });

  test("writes nothing once another engine owns the database", async () => {
    const { writer, db, ids } = opened;
    await db.execute(sql`update local_engine.engine set epoch = epoch + 1`);
    const both = [writer.write(start("a")), writer.write(start("b")), writer.transact(async () => "done")];
    for (const one of await Promise.allSettled(both)) {
      expect(one).toMatchObject({ status: "rejected", reason: expect.any(TakenOverError) });
    }
    expect(await ids()).toEqual([]);
  });

  test("says that a statement has failed, since its changes may be durable", async () => {
    const { writer, db, uncertain, ids } = opened;
    const execute = db.execute;
    db.execute = (async (query: Parameters<typeof execute>[0]) => {
      await execute(query);
      db.execute = execute;
      throw new Error("The connection was lost");
    }) as unknown as typeof execute;
    await expect(writer.write(start("a"))).rejects.toThrow("connection was lost");
    expect([await ids(), uncertain]).toEqual([["a"], ["uncertain"]]);
  });

  test("owns the database until another engine takes it over", async () => {
    const { writer, db } = opened;
    await writer.requireOwnership();
    await db.execute(sql`update local_engine.engine set epoch = epoch + 1`);
    await expect(writer.requireOwnership()).rejects.toThrow(TakenOverError);
  });

  test("keeps a run in memory only while it is held", async () => {
    const { writer } = opened;
    writer.live.hold("a");
    await writer.write(start("a"));
    await writer.write(start("b"));
    expect([writer.live.get("a")?.run.id, writer.live.get("b")]).toEqual(["a", undefined]);
    writer.live.release("a");
    expect(writer.live.get("a")).toBeUndefined();
  });
});
