import type { Approval } from "countersign";
import { describe, expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { everyDatabase, freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { operator, patience, releaseCalls, stopCalls } from "../support/stops.js";
import { postgresStore, type Store } from "../support/store.js";

const finance = { id: "finance", tenantId: "acme", roles: ["finance"] };

/** An approved call that has not started. */
async function approvedCall(
  store: Store,
  options: Parameters<typeof proposeCall>[1] = {},
): Promise<Approval> {
  const [call] = await proposeCall(store, options);
  if (!call) throw new Error("unreachable");
  const decision = { approvalId: call.id, principal: finance, digest: call.digest, reason: null };
  await store.decide({ ...decision, type: "approve" });
  return call;
}

const start = (store: Store, { id }: Approval, kind: "once" | "idempotent" | "durable" = "once") =>
  store.claim(id, kind, () => undefined);

describe.each(everyDatabase)("stops on $name", ({ open }) => {
  it("are engaged once and released once, however often either is repeated", async () => {
    await using database = await open();
    const store = await openStore(database);
    expect(await store.engagedStops()).toEqual([]);
    const first = await stopCalls(store);
    expect(await stopCalls(store)).toEqual(first);
    expect(await store.engagedStops()).toEqual([first]);
    const other = await store.engageStop({ ...first, reason: "Another reason", by: operator });
    expect(other.id).not.toBe(first.id);
    const released = await releaseCalls(store, first);
    expect(released).toMatchObject({
      outcome: "released",
      stop: { id: first.id, releasedBy: "operator", releaseReason: "The key was replaced" },
    });
    expect(await store.engagedStops()).toEqual([other]);
    expect(await releaseCalls(store, first)).toEqual({ ...released, outcome: "repeated" });
    expect(
      (await store.listStops({ tenantId: "acme", engaged: true, limit: 10 })).map(({ id }) => id),
    ).toEqual([other.id]);
    expect(await store.listStops({ tenantId: "acme", limit: 10 })).toHaveLength(2);
    const log = await store.listAudit({ tenantId: "acme" });
    expect(log.map(({ type, actorId, data }) => [type, actorId, data.stopId, data.reason])).toEqual([
      ["stop.engaged", "operator", first.id, "A key has leaked"],
      ["stop.engaged", "operator", other.id, "Another reason"],
      ["stop.released", "operator", first.id, "The key was replaced"],
    ]);
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 3 });
  });

  it("refuse the start of an approved call of their tenant or of all tenants, until released", async () => {
    await using database = await open();
    const store = await openStore(database);
    for (const tenantId of ["acme", null]) {
      const call = await approvedCall(store);
      const stop = await stopCalls(store, "ref*", tenantId);
      const claimed = { outcome: "refused", approval: { status: "withdrawn", withdrawalCause: "stopped" } };
      expect(await start(store, call)).toMatchObject(claimed);
      await releaseCalls(store, stop);
      expect(await start(store, call)).toMatchObject(claimed);
      expect(await start(store, await approvedCall(store))).toMatchObject({ outcome: "claimed" });
    }
    await stopCalls(store, "ref*", "another");
    expect(await start(store, await approvedCall(store))).toMatchObject({ outcome: "claimed" });
  });

  it("do not let a call that has started start a second time", async () => {
    await using database = await open();
    const store = await openStore(database);
    for (const [kind, again] of [
      ["once", { outcome: "already_started" }],
      ["durable", { outcome: "already_started" }],
      ["idempotent", { outcome: "refused", approval: { status: "interrupted" } }],
    ] as const) {
      const call = await approvedCall(store);
      expect(await start(store, call, kind)).toMatchObject({ outcome: "claimed" });
      const stop = await stopCalls(store);
      expect(await start(store, call, kind)).toMatchObject(again);
      await releaseCalls(store, stop);
    }
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true });
  });
});

describe("stops", () => {
  it("are listed page by page, newest first, each of them once", async () => {
    await using database = await freshPostgres();
    let offset = 0;
    const store = await openStore(database, () => offset);
    const engaged = [];
    for (const tool of ["a", "b", "c", "d", "e"]) {
      engaged.push(await stopCalls(store, tool));
      offset += 60_000;
    }
    const seen: string[] = [];
    let after: { at: Date; id: string } | undefined;
    do {
      const page = await store.listStops({ tenantId: "acme", limit: 2, ...(after && { after }) });
      seen.push(...page.map(({ id }) => id));
      const last = page.length === 2 ? page.at(-1) : undefined;
      after = last && { at: last.engagedAt, id: last.id };
    } while (after);
    expect(seen).toEqual(engaged.map(({ id }) => id).toReversed());
  });

  it("are limited to 100 for a tenant, and need a reason to be engaged or released", async () => {
    await using database = await freshPostgres();
    const store = await openStore(database);
    for (let at = 0; at < 100; at++) await stopCalls(store, `tool_${at}`);
    await expect(stopCalls(store, "one_more")).rejects.toMatchObject({ code: "stop_limit" });
    await stopCalls(store, "tool_7");
    await stopCalls(store, "one_more", "another");
    const stop = { tenantId: "acme", tool: "*", reason: " ", by: operator };
    await expect(store.engageStop(stop)).rejects.toMatchObject({ code: "invalid_request" });
    const [some] = await store.engagedStops();
    await expect(
      store.releaseStop({ id: some?.id ?? "", tenantId: "acme", reason: "", by: operator }),
    ).rejects.toMatchObject({ code: "invalid_request" });
  });
});

it("a stop holds in other processes within half a second, and for claims at once", async () => {
  await using database = await freshPostgres();
  let moved = 0;
  const here = postgresStore({ url: database.url });
  const there = postgresStore({ url: database.url, clockOffset: () => moved });
  const call = await approvedCall(here);
  expect(await there.engagedStops()).toEqual([]);
  const stop = await stopCalls(here);
  expect(await start(there, call)).toMatchObject({ outcome: "refused" });
  moved = 500;
  expect(await there.engagedStops()).toEqual([stop]);
  await releaseCalls(here, stop);
  moved = 1000;
  expect(await there.engagedStops()).toEqual([]);
  await Promise.all([here.close(), there.close()]);
});

describe("a claim that races with a stop", () => {
  it("ends before the stop is reported as engaged if it has not seen the stop", async () => {
    await using database = await freshPostgres();
    const store = postgresStore({ client: database.postgres });
    const call = await approvedCall(store);
    let statusWhenEngaged: string | undefined;
    let claiming: Promise<unknown> | undefined;
    let engaging: Promise<unknown> | undefined;
    await database.admin.begin(async (tx) => {
      // A claim takes this lock last, after it has looked for stops.
      await tx`select from countersign.audit_heads where tenant_id = 'acme' for update`;
      const waiting = (kind: string) => tx`
        select from pg_locks where locktype = ${kind} and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      claiming = start(store, call);
      await expect
        .poll(() => tx`select from pg_stat_activity where wait_event = 'transactionid'`, patience)
        .toHaveLength(1);
      engaging = stopCalls(store, "*", null).then(async () => {
        statusWhenEngaged = (await store.getApproval("acme", call.id))?.status;
      });
      await expect.poll(() => waiting("advisory"), patience).toHaveLength(1);
      // The stop is committed: all later reads see it.
      expect(await tx`select from countersign.stops where released_at is null`).toHaveLength(1);
      expect(statusWhenEngaged).toBeUndefined();
    });
    expect(await claiming).toMatchObject({ outcome: "claimed" });
    await engaging;
    expect(statusWhenEngaged).toBe("executing");
  });

  it("is refused if the stop was committed before the claim had its lock", async () => {
    await using database = await freshPostgres();
    const store = postgresStore({ url: database.url });
    const call = await approvedCall(store);
    let claiming: Promise<unknown> | undefined;
    let engaging: Promise<unknown> | undefined;
    await database.admin.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('countersign:claims', 0))`;
      claiming = start(store, call);
      await expect
        .poll(
          () => tx`
            select from pg_locks where locktype = 'advisory' and not granted
            and database = (select oid from pg_database where datname = current_database())`,
          patience,
        )
        .toHaveLength(1);
      engaging = stopCalls(store, "*", null);
      await expect
        .poll(() => tx`select from countersign.stops where released_at is null`, patience)
        .toHaveLength(1);
    });
    expect(await claiming).toMatchObject({ outcome: "refused", approval: { withdrawalCause: "stopped" } });
    await engaging;
    await store.close();
  });

  it("starts the call before the stop is reported as engaged, or never", async () => {
    await using database = await freshPostgres();
    const here = postgresStore({ url: database.url });
    const there = postgresStore({ url: database.url });
    for (let round = 0; round < 25; round++) {
      const call = await approvedCall(here);
      const engaging = stopCalls(here, "refund", round % 2 ? "acme" : null).then(async (stop) => {
        const [row] = await database.admin`select status from countersign.approvals where id = ${call.id}`;
        return { stop, statusThen: row?.status };
      });
      const claiming = start(there, call);
      const [{ stop, statusThen }, claimed] = await Promise.all([engaging, claiming]);
      if (claimed.outcome === "claimed") expect(statusThen).toBe("executing");
      else expect(claimed).toMatchObject({ outcome: "refused", approval: { withdrawalCause: "stopped" } });
      await releaseCalls(here, stop);
    }
    await Promise.all([here.close(), there.close()]);
  });
});
