import type postgres from "postgres";
import { expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { tcpProxy } from "../support/postgres/tcp-proxy.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

/** A store that connects through a proxy, and another one that does not. */
async function openDesk({ waitTimeoutMs = 6_000, max = 10 } = {}) {
  const database = await freshPostgres();
  const direct = postgresStore({ client: database.postgres });
  const url = new URL(database.url);
  const proxy = await tcpProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  url.searchParams.set("application_name", "proxied");
  const store = postgresStore({ url: url.href, max, waitTimeoutMs });
  const processes = async () => {
    const rows = await database.postgres`
      select pid from pg_stat_activity where application_name = 'proxied' and query not like 'listen%' order by pid`;
    return rows.map(({ pid }) => Number(pid));
  };
  return {
    ...{ database, direct, proxy, store, processes },
    /** Opens this number of the store's connections. */
    open: (connections: number) =>
      expect
        .poll(
          async () => {
            await Promise.all(Array.from({ length: connections }, () => store.getApproval("acme", "none")));
            return (await processes()).length;
          },
          { timeout: 60_000 },
        )
        .toBe(connections),
    propose: async () => {
      const [call] = await proposeCall(direct);
      if (!call) throw new Error("unreachable");
      return call;
    },
    decisions: async (approvalId: string) =>
      (await direct.auditTrail("acme", approvalId)).filter(({ type }) => type === "approval.approved").length,
    async [Symbol.asyncDispose]() {
      await store.close();
      proxy.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
const decide = async (store: Store, { id: approvalId, digest }: { id: string; digest: string }) =>
  (await store.decide({ approvalId, digest, principal, type: "approve", reason: null })).outcome;

/** Does something while another client has locked a call. */
async function whileLocked(
  admin: postgres.Sql,
  { id, requestId }: { id: string; requestId: string },
  act: () => Promise<void>,
) {
  await admin.begin(async (tx) => {
    await tx`select 1 from countersign.approvals where id = ${id} for update`;
    await tx`select 1 from countersign.requests where id = ${requestId} for update`;
    await act();
  });
}

const untilWaitingForLock = (client: postgres.Sql, count: number) =>
  expect
    .poll(
      async () =>
        (
          await client`select 1 from pg_stat_activity
            where application_name = 'proxied' and wait_event_type = 'Lock'`
        ).length,
      { timeout: 60_000, interval: 10 },
    )
    .toBe(count);

it("a dozen decisions at once are recorded once each after all connections fell silent", async () => {
  await using desk = await openDesk();
  const calls = await Promise.all(Array.from({ length: 12 }, desk.propose));
  await desk.open(10);
  desk.proxy.silence();
  const outcomes = await Promise.all(calls.map((call) => decide(desk.store, call)));
  expect(outcomes).toEqual(calls.map(() => "decided"));
  expect(await Promise.all(calls.map(({ id }) => desk.decisions(id)))).toEqual(calls.map(() => 1));
});

it("a decision on a silent connection is recorded, while others get new connections", async () => {
  await using desk = await openDesk();
  const calls = [await desk.propose(), await desk.propose()];
  await desk.open(1);
  desk.proxy.silence();
  expect(await Promise.all(calls.map((call) => decide(desk.store, call)))).toEqual(["decided", "decided"]);
});

it("a store recovers when its connections fall silent in the middle of transactions, and their locks end", async () => {
  await using desk = await openDesk({ waitTimeoutMs: 400, max: 1 });
  const call = await desk.propose();
  await desk.open(1);
  let failed: Promise<void> | undefined;
  await whileLocked(desk.database.admin, call, async () => {
    const assigning = desk.store.assign({ approvalId: call.id, principal, to: "grace" });
    failed = expect(assigning).rejects.toMatchObject({ code: "database_failed" });
    await untilWaitingForLock(desk.database.postgres, 1);
    desk.proxy.silence();
  });
  await failed;
  const retried = () => decide(desk.store, call).catch(() => undefined);
  await expect.poll(retried, { timeout: 60_000 }).toBe("decided");
  expect(await desk.decisions(call.id)).toBe(1);
});

it("a pool whose slow statements leave no connection free is kept", async () => {
  await using desk = await openDesk({ waitTimeoutMs: 2_000, max: 2 });
  const call = await desk.propose();
  await desk.open(2);
  const before = await desk.processes();
  await whileLocked(desk.database.admin, call, async () => {
    // The database ends these after two and four seconds, and the store has nothing else to hear of before.
    const blocked = [1, 2].map(() => decide(desk.store, call));
    await untilWaitingForLock(desk.database.postgres, 2);
    const reading = desk.store.getApproval("acme", call.id);
    const results = await Promise.allSettled([...blocked, reading]);
    expect(results.slice(0, 2).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  });
  expect(await desk.processes()).toEqual(before);
});

it("migrations may wait for longer than any statement of a verb", async () => {
  await using desk = await openDesk({ waitTimeoutMs: 100, max: 2 });
  await desk.open(1);
  let migrating: Promise<string[]> | undefined;
  await desk.database.admin.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('countersign:migrate', 0))`;
    migrating = desk.store.migrate();
    migrating.catch(() => {});
    await untilWaitingForLock(desk.database.postgres, 1);
    // Longer than the 250 ms after which a statement without an answer is given up.
    await tx`select pg_sleep(1)`;
  });
  expect(await migrating).toEqual([]);
});

it("a subscriber hears of changes by others after all connections fell silent", async () => {
  await using desk = await openDesk({ waitTimeoutMs: 2_000 });
  let heard = 0;
  const unsubscribe = await desk.store.subscribe("acme", () => heard++);
  await desk.open(1);
  desk.proxy.silence();
  await desk.store.getApproval("acme", "none");
  const isHeard = async () => {
    const before = heard;
    await desk.propose();
    return heard > before;
  };
  await expect.poll(isHeard, { timeout: 60_000 }).toBe(true);
  await unsubscribe();
});
