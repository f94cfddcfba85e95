import { setImmediate as nextTurn } from "node:timers/promises";
import postgres from "postgres";
import { expect, it, vi } from "vitest";
import { wholeLog } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { untilWaitingForLock } from "../support/postgres/server-connections.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

/**
 * A store with approved calls of one tenant, the size of each group of changes that it sends, and how
 * often it reads what it judges.
 */
async function openCalls(calls: number) {
  const database = await freshPostgres(2);
  const { admin, postgres: owner } = database;
  const groups: number[] = [];
  const reads: string[] = [];
  const client = postgres(database.url, {
    ...{ max: 4, fetch_types: false, onnotice: () => {} },
    debug: (_, text, parameters) => {
      if (text.includes("apply_changes")) groups.push(JSON.parse(String(parameters.at(-1))).length);
      if (text.includes("read_all")) reads.push(text);
    },
  });
  // So long that a test which waits for it fails.
  const store = postgresStore({ client, waitTimeoutMs: 600_000 });
  const approved = await proposeCall(store, { verdict: "notify", calls });
  const ids = approved.map(({ id }) => id).toSorted();
  groups.length = 0;
  let judged = 0;
  const claim = (id: string, startedBy: string | null = null) =>
    store.claim(id, "once", () => void judged++, undefined, startedBy);
  return {
    ...{ admin, claim, groups, ids, reads, store },
    /** A transaction of somebody who uses SQL. */
    byHand: <T>(work: (tx: postgres.TransactionSql) => Promise<T>) =>
      owner.begin(async (tx) => {
        await tx`select set_config('countersign.tenant', 'acme', true)`;
        return work(tx);
      }),
    /** Claims the first call, whose statement waits for the log's head, and has the other claims wait behind it. */
    async queue(tx: postgres.TransactionSql, others: readonly Parameters<typeof claim>[]) {
      await tx`select from countersign.audit_heads where tenant_id = 'acme' for update`;
      const first = claim(ids[0] ?? "");
      await untilWaitingForLock(admin, 1);
      const queued = others.map((other) => claim(...other));
      // Some are to fail.
      for (const claimed of queued) claimed.catch(() => {});
      await vi.waitFor(() => expect(judged).toBe(1 + others.length), { timeout: 60_000 });
      await nextTurn();
      return { first, queued };
    },
    /** The calls that have started: the same by their rows and by the log, which is whole. */
    async started() {
      const rows = await admin`select id from countersign.approvals where started_at is not null`;
      const log = await wholeLog(store, "acme");
      const told = log.flatMap(({ type, approvalId }) => (type === "approval.executing" ? [approvalId] : []));
      expect(told.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
      expect(await store.verifyAudit("acme")).toMatchObject({ ok: true });
      return told.toSorted();
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await client.end({ timeout: 1 });
      await database[Symbol.asyncDispose]();
    },
  };
}

const outcomesOf = (claims: readonly { outcome: string }[]) => claims.map(({ outcome }) => outcome);
const everyOne = <T>(ids: readonly string[], outcome: T) => ids.map(() => outcome);
/** A claim without a run. */
const alone = (id: string): [id: string] => [id];

it("many calls that start and end at once do so in few statements, each once", async () => {
  await using calls = await openCalls(60);
  const { claim, groups, ids, reads, store } = calls;
  const claims = await Promise.all(ids.toSpliced(30, 0, "apr_none").map((id) => claim(id)));
  expect(outcomesOf(claims)).toEqual(everyOne(ids, "claimed").toSpliced(30, 0, "not_found"));
  expect(await calls.started()).toEqual(ids);
  const end = { status: "executed", outcomeJson: "{}" } as const;
  const ended = await Promise.all(ids.map((id) => store.finish(id, end)));
  expect(ended.map((call) => call?.status)).toEqual(everyOne(ids, "executed"));
  expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 3 * ids.length });
  expect(groups.length).toBeLessThanOrEqual(12);
  expect(reads.length).toBeLessThanOrEqual(12);
});

it("a call that has changed meanwhile is judged again, and the others of its group are not", async () => {
  await using calls = await openCalls(12);
  const [, twice = "", touched = "", ...others] = calls.ids;
  const { first, queued } = await calls.byHand(async (tx) => {
    const claims = await calls.queue(tx, [
      [twice, "one"],
      [touched],
      [twice, "another"],
      ...others.map(alone),
    ]);
    await tx`update countersign.approvals set summary = summary where id = ${touched}`;
    return claims;
  });
  expect(outcomesOf([await first, ...(await Promise.all(queued))])).toEqual([
    ...["claimed", "claimed", "claimed", "started_elsewhere"],
    ...everyOne(others, "claimed"),
  ]);
  // Who comes too late writes nothing.
  expect(calls.groups).toEqual([1, 3 + others.length, 1]);
  expect(await calls.started()).toEqual(calls.ids);
});

it("what was published is recorded together with starts, and never moves back", async () => {
  await using calls = await openCalls(4);
  const { admin, ids, store } = calls;
  const unread = async (limit = 100) =>
    (await store.readUnpublished("acme", limit)).transitions.map(({ position }) => position);
  const approved = await unread();
  const marks: Promise<void>[] = [];
  const { first, queued } = await calls.byHand(async (tx) => {
    const claims = await calls.queue(tx, ids.slice(1).map(alone));
    for (const position of [approved[1], approved[0]]) marks.push(store.markPublished("acme", position ?? 0));
    await nextTurn();
    return claims;
  });
  expect(outcomesOf(await Promise.all([first, ...queued]))).toEqual(everyOne(ids, "claimed"));
  await Promise.all(marks);
  expect(calls.groups).toEqual([1, ids.length - 1 + marks.length]);
  const [{ end } = {}] = await admin`select max(position)::int as end from countersign.audit_entries`;
  const left = await unread();
  expect(left).toEqual([
    ...approved.slice(2),
    ...ids.map((_, index) => Number(end) - ids.length + 1 + index),
  ]);
  expect(await store.readUnpublished("acme", 2)).toMatchObject({ upTo: left[1] });
  await store.markPublished("acme", Number(end));
  await store.markPublished("acme", 1);
  expect(await store.readUnpublished("acme", 100)).toEqual({ upTo: null, transitions: [] });
  expect(await calls.started()).toEqual(ids);
});

it("a call whose row somebody has locked holds up nobody else", async () => {
  await using calls = await openCalls(12);
  const [, locked = "", later = "", ...others] = calls.ids;
  const held = await calls.byHand(async (tx) => {
    await tx`select from countersign.approvals where id = ${locked} for update`;
    const claims = calls.byHand((other) => calls.queue(other, [[locked], ...others.map(alone)]));
    const [held, ...free] = (await claims).queued;
    expect(outcomesOf(await Promise.all(free))).toEqual(everyOne(others, "claimed"));
    await untilWaitingForLock(calls.admin, 1);
    expect(await calls.claim(later)).toMatchObject({ outcome: "claimed" });
    expect(await calls.started()).toEqual(calls.ids.filter((id) => id !== locked));
    return { claimed: held };
  });
  expect(await held.claimed).toMatchObject({ outcome: "claimed" });
  expect(calls.groups).toEqual([1, 1 + others.length, 1, 1]);
  expect(await calls.started()).toEqual(calls.ids);
});

it("a call whose changes the database refuses fails alone", async () => {
  await using calls = await openCalls(12);
  const [, refused = "", ...others] = calls.ids;
  await calls.admin.unsafe(`
    create function public.refuse() returns trigger language plpgsql as $$ begin
      if new.id = '${refused}' then raise exception 'not this one'; end if;
      return new;
    end $$;
    create trigger refused before update on countersign.approvals
      for each row execute function public.refuse()`);
  const { queued } = await calls.byHand((tx) => calls.queue(tx, [[refused], ...others.map(alone)]));
  const [failed, ...fine] = queued;
  await expect(failed).rejects.toMatchObject({ code: "database_failed", detail: { sqlState: "P0001" } });
  expect(outcomesOf(await Promise.all(fine))).toEqual(everyOne(others, "claimed"));
  expect(calls.groups).toEqual([1, 1 + others.length, 1, ...everyOne(others, 1)]);
  expect(await calls.started()).toEqual(calls.ids.filter((id) => id !== refused));
});

it("a group whose connection is lost fails for all, writes nothing, and can be repeated", async () => {
  await using calls = await openCalls(12);
  const { ids, groups } = calls;
  const others = ids.slice(1);
  const failures = await calls.byHand(async (tx) => {
    const { first, queued } = await calls.queue(tx, others.map(alone));
    const failures = Promise.allSettled([first, ...queued]);
    // First the statement that the group waits for, and then the group's, which follows at once.
    for (const sent of [[1], [1, others.length]]) {
      await untilWaitingForLock(calls.admin, 1);
      expect(groups).toEqual(sent);
      await calls.admin`select pg_terminate_backend(pid, 10_000) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
    }
    return await failures;
  });
  expect(groups).toEqual([1, others.length]);
  expect(failures).toMatchObject(everyOne(ids, { status: "rejected", reason: { code: "database_failed" } }));
  expect(await calls.started()).toEqual([]);
  expect(outcomesOf(await Promise.all(ids.map((id) => calls.claim(id))))).toEqual(everyOne(ids, "claimed"));
  expect(await calls.started()).toEqual(ids);
});
