import { createCountersign, definePolicy } from "countersign";
import { approvalsApi } from "countersign/hono";
import { Inngest } from "inngest";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { eventually } from "../support/harness.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

async function openDesk() {
  const database = await freshPostgres(4);
  let movedBy = 0;
  const store = postgresStore({ url: database.url, max: 2, clockOffset: () => movedBy });
  await store.nameSecret();
  const countersign = createCountersign({
    inngest: new Inngest({ id: "desk", isDev: true }),
    store,
    policy: definePolicy({ tools: {} }),
  });
  const api = approvalsApi(countersign, { authenticate: () => null });
  return {
    ...{ database, store },
    ready: async () => {
      const response = await api.request("/readyz");
      const { status, code, detail } = await response.json();
      return { status: response.status, says: response.ok ? status : `${code}: ${detail}` };
    },
    pass: (ms: number) => {
      movedBy += ms;
    },
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

const isReady = { status: 200, says: "ready" };

/** Lets `table` refuse writes as a full disk does. */
const fullDisk = (table: string) => `
  create function public.full() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file' using errcode = '53100'; end $$;
  create trigger full_disk before insert or update on countersign.${table} for each row execute function public.full()`;

describe("/readyz", () => {
  it("is 503 while the database accepts reads only, and 200 again afterwards", async () => {
    await using desk = await openDesk();
    const { admin } = desk.database;
    expect(await desk.ready()).toEqual(isReady);
    const switchTo = async (value: string) => {
      await admin.unsafe(`do $$ begin execute format(
        'alter database %I set default_transaction_read_only = ${value}', current_database()); end $$`);
      await admin`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`;
    };
    await switchTo("on");
    const refused = await eventually(async () => {
      const answer = await desk.ready();
      return answer.says.includes("25006") ? answer : undefined;
    }, "the read-only database to be noticed");
    expect(refused).toMatchObject({ status: 503, says: expect.stringContaining("read-only") });
    await expect(proposeCall(desk.store)).rejects.toMatchObject({
      message: expect.stringContaining("The database is read-only"),
    });
    await admin`set default_transaction_read_only = off`;
    await switchTo("off");
    await eventually(async () => ((await desk.ready()).status === 200 ? true : undefined), "writes");
  });

  it("is 503 for a minute after a write found no space", async () => {
    await using desk = await openDesk();
    await desk.database.admin.unsafe(fullDisk("requests"));
    expect(await desk.ready()).toEqual(isReady);
    await expect(proposeCall(desk.store)).rejects.toMatchObject({
      message: expect.stringContaining("disk is full"),
    });
    desk.pass(59_000);
    expect(await desk.ready()).toMatchObject({ status: 503, says: expect.stringContaining("disk is full") });
    desk.pass(2_000);
    expect(await desk.ready()).toEqual(isReady);
  });

  it("writes at most once in ten seconds, and is 503 if that fails", async () => {
    await using desk = await openDesk();
    const { admin } = desk.database;
    await admin.unsafe(`create table public.writes (n int);
      create function public.count() returns trigger language plpgsql security definer as $$ begin
        insert into public.writes values (1); return new; end $$;
      create trigger counted before update on countersign.installation for each row execute function public.count()`);
    const writes = async () => (await admin`select from public.writes`).length;
    for (let n = 0; n < 3; n++) expect(await desk.ready()).toEqual(isReady);
    expect(await writes()).toBe(1);
    desk.pass(10_000);
    expect(await desk.ready()).toEqual(isReady);
    expect(await writes()).toBe(2);
    await admin.unsafe(fullDisk("installation"));
    desk.pass(10_000);
    expect(await desk.ready()).toMatchObject({ status: 503, says: expect.stringContaining("53100") });
    expect(await desk.store.nameSecret()).toBeTruthy();
  });

  it("is 200 for a role that may not write to the probed table", async () => {
    await using desk = await openDesk();
    const owner = postgres(desk.database.url, { max: 1, onnotice: () => {} });
    await owner`revoke update on countersign.installation from owner`;
    await owner.end();
    expect(await desk.ready()).toEqual(isReady);
  });
});
