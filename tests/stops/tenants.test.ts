import type { Stop } from "countersign";
import type postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { operator, releaseCalls, stopCalls } from "../support/stops.js";
import { postgresStore, type Store } from "../support/store.js";

let database: TestDatabase & { kind: "postgres" };
let store: Store;
let stops: Record<"acme" | "bolt" | "all" | "released", Stop>;

beforeAll(async () => {
  database = await freshPostgres();
  store = postgresStore({ client: database.postgres });
  stops = {
    acme: await stopCalls(store, "refund", "acme"),
    bolt: await stopCalls(store, "refund", "bolt"),
    all: await stopCalls(store, "email", null),
    released: await stopCalls(store, "erase", "acme"),
  };
  await releaseCalls(store, stops.released);
});
afterAll(() => database[Symbol.asyncDispose]());

/** Runs a statement as the owner of the tables, in a transaction with access to one tenant or to all. */
function as(who: "acme" | "all", statement: string): Promise<postgres.RowList<postgres.Row[]>> {
  return database.postgres.begin(async (sql) => {
    if (who === "all") await sql`select set_config('countersign.all_tenants', 'on', true)`;
    else await sql`select set_config('countersign.tenant', ${who}, true)`;
    return sql.unsafe(statement);
  }) as Promise<postgres.RowList<postgres.Row[]>>;
}

const refusedByPolicy = { code: "42501", message: expect.stringContaining("row-level security") };
const refusedByTrigger = { code: "42501", message: expect.stringContaining("can only be released, once") };

const insertFor = (tenant: string) =>
  `insert into countersign.stops values ('stp_forged', ${tenant}, '*', 'Mine', 'mallory', now())`;

describe("a tenant", () => {
  it("sees its own stops and those for all tenants, and no others", async () => {
    const rows = await as("acme", "select id from countersign.stops order by engaged_at");
    expect(rows.map(({ id }) => id)).toEqual([stops.acme.id, stops.all.id, stops.released.id]);
    const listed = await store.listStops({ tenantId: "acme", limit: 10 });
    expect(listed.map(({ id }) => id)).toEqual([stops.released.id, stops.all.id, stops.acme.id]);
  });

  it("cannot release stops of another tenant or for all tenants", async () => {
    const by = { ...operator, id: "mallory" };
    const release = { tenantId: "acme", reason: "Mine", by };
    expect(await store.releaseStop({ ...release, id: stops.bolt.id })).toEqual({ outcome: "not_found" });
    expect(await store.releaseStop({ ...release, id: stops.all.id })).toMatchObject({ outcome: "forbidden" });
    const update = "update countersign.stops set released_by = 'mallory', released_at = now()";
    for (const { id } of [stops.bolt, stops.all]) {
      expect((await as("acme", `${update} where id = '${id}'`)).count).toBe(0);
    }
    expect(await store.engagedStops()).toHaveLength(3);
  });

  it("cannot insert a stop for another tenant or for all tenants", async () => {
    await expect(as("acme", insertFor("'bolt'"))).rejects.toMatchObject(refusedByPolicy);
    await expect(as("acme", insertFor("null"))).rejects.toMatchObject(refusedByPolicy);
  });

  it("with an empty name cannot engage a stop", async () => {
    await expect(stopCalls(store, "*", "")).rejects.toMatchObject({ code: "database_failed" });
  });
});

describe("the table of stops", () => {
  it.each([
    ["deletes stops", "delete from countersign.stops"],
    ["truncates it", "truncate countersign.stops"],
    ["changes a reason", "update countersign.stops set reason = 'Other' where tenant_id = 'acme'"],
    [
      "widens a stop to all tenants",
      "update countersign.stops set tenant_id = null where tenant_id = 'acme'",
    ],
    ["changes the tools of a stop", "update countersign.stops set tool = 'x' where released_at is null"],
    ["undoes a release", "update countersign.stops set released_at = null where released_at is not null"],
  ])("refuses a statement that %s, even from its owner", async (_what, statement) => {
    await expect(as("all", statement)).rejects.toMatchObject(refusedByTrigger);
    await expect(database.admin.unsafe(statement)).rejects.toMatchObject(refusedByTrigger);
  });
});

it("each tenant's audit log records its stops, and the log without a name those for all tenants", async () => {
  const recorded = async (tenantId: string) =>
    (await store.listAudit({ tenantId })).map(({ type, data }) => [type, data.stopId]);
  expect(await recorded("acme")).toEqual([
    ["stop.engaged", stops.acme.id],
    ["stop.engaged", stops.released.id],
    ["stop.released", stops.released.id],
  ]);
  expect(await recorded("bolt")).toEqual([["stop.engaged", stops.bolt.id]]);
  expect(await recorded("")).toEqual([["stop.engaged", stops.all.id]]);
  expect(await store.auditedTenants()).toEqual(["", "acme", "bolt"]);
  for (const [tenantId, entries] of [
    ["", 1],
    ["acme", 3],
    ["bolt", 1],
  ] as const) {
    expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true, entries });
  }
});
