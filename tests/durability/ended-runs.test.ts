import { randomUUID } from "node:crypto";
import type { Approval } from "countersign";
import { NonRetriableError } from "inngest";
import { expect, it, vi } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { deskTools, inTurns } from "../support/desk-tools.js";
import { openHarness } from "../support/harness.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

const hour = 3_600_000;
const runId = "ended";

async function openStore() {
  const database = await freshPostgres();
  const time = { offset: 0 };
  const store = postgresStore({ client: database.postgres, clockOffset: () => time.offset });
  await store.migrate();
  const { admin } = database;
  return {
    store,
    time,
    /** Blocks all writers of the table until the returned function is called. */
    async hold(table: string) {
      await admin.unsafe(`begin; lock table countersign.${table} in share row exclusive mode`);
      return () => admin.unsafe("commit");
    },
    /** Resolves when `count` sessions of the database wait for locks. */
    waiting: (count: number) =>
      vi.waitFor(async () => {
        const [row] = await database.postgres`
          select count(*)::int as count from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        expect(row?.count).toBe(count);
      }),
    async outbox() {
      const [row] = await database.postgres.begin(async (tx) => {
        await tx`select set_config('countersign.all_tenants', 'on', true)`;
        return tx`select count(*)::int as count from countersign.outbox`;
      });
      return row?.count;
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

async function auditEntries(store: Store, { id }: Approval) {
  const entries = await store.auditTrail("acme", id);
  return entries.map(({ type, data }) => [type, data.cause]);
}

it("a call that an ended run proposes is withdrawn at once", async () => {
  await using opened = await openStore();
  const { store } = opened;
  expect(await store.withdrawRun(runId, "run_cancelled")).toEqual([]);
  const late = await proposeCall(store, { runId, calls: 2, announce: false });
  expect(late).toMatchObject([
    { status: "withdrawn", withdrawalCause: "run_cancelled" },
    { status: "withdrawn", withdrawalCause: "run_cancelled" },
  ]);
  for (const call of late) {
    expect(await auditEntries(store, call)).toEqual([["approval.withdrawn", "run_cancelled"]]);
  }
  expect(await opened.outbox()).toBe(0);
  const [refused] = await proposeCall(store, { runId, verdict: "deny", announce: false });
  expect(refused).toMatchObject({ status: "denied" });
  const [notified] = await proposeCall(store, { runId, verdict: "notify", announce: false });
  expect(notified).toMatchObject({ status: "withdrawn" });
  expect(await store.claim(notified?.id ?? "", "once", () => undefined)).toMatchObject({
    outcome: "refused",
  });
  const [other] = await proposeCall(store, { runId: "another", announce: false });
  expect(other).toMatchObject({ status: "proposed" });
});

it("a call that a run proposes after it counted as lost, and then really ended, is withdrawn", async () => {
  await using opened = await openStore();
  const { store } = opened;
  const propose = async () => (await proposeCall(store, { runId, announce: false }))[0];
  await store.withdrawRun(runId, "run_lost");
  expect(await propose()).toMatchObject({ status: "proposed" });
  await store.withdrawRun(runId, "run_lost");
  await store.withdrawRun(runId, "run_failed");
  await store.withdrawRun(runId, "run_lost");
  expect(await propose()).toMatchObject({ status: "withdrawn", withdrawalCause: "run_failed" });
});

it("a call whose proposal is being stored when its run ends is withdrawn", async () => {
  await using opened = await openStore();
  const { store } = opened;
  const release = await opened.hold("audit_heads");
  const proposing = proposeCall(store, { runId, announce: false });
  await opened.waiting(1);
  const ending = store.withdrawRun(runId, "run_failed");
  await opened.waiting(2);
  const [[call]] = await Promise.all([proposing, ending, release()]);
  const after = await store.getApproval("acme", call?.id ?? "");
  expect(after).toMatchObject({ status: "withdrawn", withdrawalCause: "run_failed" });
});

it("a call that is proposed while its run's end is being stored is withdrawn", async () => {
  await using opened = await openStore();
  const { store } = opened;
  const release = await opened.hold("ended_runs");
  const ending = store.withdrawRun(runId, "run_failed");
  await opened.waiting(1);
  const proposing = proposeCall(store, { runId, announce: false });
  await opened.waiting(2);
  const [[call]] = await Promise.all([proposing, ending, release()]);
  const after = await store.getApproval("acme", call?.id ?? "");
  expect(after).toMatchObject({ status: "withdrawn", withdrawalCause: "run_failed" });
});

it("all calls that are proposed concurrently with their run's end are withdrawn", async () => {
  await using opened = await openStore();
  const { store } = opened;
  for (let round = 0; round < 10; round++) {
    const ended = `run_${randomUUID()}`;
    const proposals = Array.from({ length: 8 }, () => proposeCall(store, { runId: ended }));
    const ends = [store.withdrawRun(ended, "run_cancelled"), store.withdrawRun(ended, "run_failed")];
    const calls = (await Promise.all(proposals)).flat();
    await Promise.all(ends);
    const now = await Promise.all(calls.map(({ id }) => store.getApproval("acme", id)));
    expect(now.map((call) => call?.status)).toEqual(calls.map(() => "withdrawn"));
  }
});

it("a repeated proposal of an ended run returns the withdrawn call and adds no audit entry", async () => {
  await using opened = await openStore();
  const { store } = opened;
  const again = { runId, ids: "repeated", digest: "the same", announce: false };
  const [before] = await proposeCall(store, again);
  await store.withdrawRun(runId, "run_cancelled");
  const [after] = await proposeCall(store, again);
  expect([before?.status, after?.status]).toEqual(["proposed", "withdrawn"]);
  const entries = before && (await auditEntries(store, before));
  await proposeCall(store, again);
  expect(before && (await auditEntries(store, before))).toEqual(entries);
});

it("a run that begins to wait for a withdrawn call is woken once, even if the step is delivered twice", async () => {
  await using opened = await openStore();
  const { store } = opened;
  const [call] = await proposeCall(store, { runId, announce: false });
  const { requestId = "" } = call ?? {};
  await store.withdrawRun(runId, "run_cancelled");
  await store.announce(requestId);
  expect(await opened.outbox()).toBe(1);
  await store.settle(requestId, 0);
  // The engine may deliver the step twice, the second time after everything has ended.
  await store.announce(requestId);
  expect(await opened.outbox()).toBe(0);
});

it("the end of a run is forgotten after a day", async () => {
  await using opened = await openStore();
  const { store, time } = opened;
  await store.withdrawRun(runId, "run_cancelled");
  time.offset = 23 * hour;
  await store.sweep();
  expect(await proposeCall(store, { runId, announce: false })).toMatchObject([{ status: "withdrawn" }]);
  time.offset = 25 * hour;
  await store.sweep();
  expect(await proposeCall(store, { runId, announce: false })).toMatchObject([{ status: "proposed" }]);
});

it("a failed run of the relay leads to no withdrawal", async () => {
  await using database = await freshPostgres();
  const { tools } = deskTools();
  const withdrawn: string[] = [];
  await using harness = await openHarness({
    database,
    tools,
    reply: inTurns({ text: "Nothing to do." }),
    between: (store) =>
      interceptedStore(store, {
        sweep: () => Promise.reject(new Error("the database is down")),
        withdrawRun: (carryOut, id, cause) => {
          withdrawn.push(id);
          return carryOut(id, cause);
        },
      }),
  });
  const withdrawals = () => harness.functionRuns("countersign-withdrawal");
  await harness.onceAtRest(async () => {
    await harness.clock.advance("1m");
    const runs = await withdrawals();
    return runs.length > 0 && runs.every(({ status }) => status === "Completed") ? true : undefined;
  }, "the relay has failed and the withdrawal has completed");
  const failed = await harness.functionRuns("countersign-relay");
  expect(failed.map(({ status }) => status)).toContain("Failed");
  expect(withdrawn).toEqual([]);
});

it.each(["countersign", "billing"])(
  "a failed run of the withdrawal itself leads to no withdrawal if the instance is named %s",
  async (id) => {
    await using database = await freshPostgres();
    const { tools } = deskTools();
    const withdrawn: string[] = [];
    await using harness = await openHarness({
      database,
      tools,
      reply: inTurns({ text: "Nothing to do." }),
      countersign: { id },
      run: () => Promise.reject(new NonRetriableError("the agent's function is broken")),
      between: (store) =>
        interceptedStore(store, {
          withdrawRun: (_carryOut, id) => {
            withdrawn.push(id);
            return Promise.reject(new NonRetriableError("the database is broken"));
          },
        }),
    });
    const { runId } = await harness.say("Hello");
    const withdrawals = await harness.onceAtRest(async () => {
      const runs = await harness.functionRuns(`${id}-withdrawal`);
      return runs.length > 0 && runs.every(({ status }) => status !== "Running") ? runs : undefined;
    }, "the withdrawal has ended");
    // Inngest tells of no end of a run that an end has started.
    expect(withdrawals.map(({ status }) => status)).toEqual(["Failed"]);
    expect(withdrawn).toEqual([runId]);
  },
);
