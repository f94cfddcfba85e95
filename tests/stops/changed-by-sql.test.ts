import postgres from "postgres";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { freshPostgres } from "../support/databases.js";
import { createRole } from "../support/postgres/documented-roles.js";
import { releaseCalls, stopCalls } from "../support/stops.js";
import type { Store } from "../support/store.js";

let database: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;
beforeAll(async () => {
  database = await freshPostgres();
  store = await openStore(database);
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

const inventedStop = `insert into countersign.stops (id, tenant_id, tool, reason, engaged_by, engaged_at)
  values ('stp_invented', 'acme', '*', 'None', 'mallory', now())`;

describe("the application's role, with SQL,", () => {
  it.each([
    ["release a stop", "update countersign.stops set released_at = now(), released_by = 'mallory'"],
    ["release a stop in the past", "update countersign.stops set released_at = now() - interval '40 days'"],
    ["engage a stop", inventedStop],
  ])("cannot %s without an entry in the audit log", async (_what, statement) => {
    await using role = await createRole(database);
    await role.giveRights();
    const stop = await stopCalls(store);
    const everywhere = await stopCalls(store, "*", null);
    const sql = postgres(role.url, { max: 1, onnotice: () => {} });
    const attempt = sql.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      await tx.unsafe(statement);
    });
    await expect(attempt).rejects.toMatchObject({ code: "42501" });
    await sql.end();
    expect(
      (await store.listStops({ tenantId: null, engaged: true, limit: 10 })).map(({ id }) => id).sort(),
    ).toEqual([stop.id, everywhere.id].sort());
    for (const engaged of [stop, everywhere]) await releaseCalls(store, engaged);
    for (const tenantId of ["acme", ""])
      expect(await store.verifyAudit(tenantId)).toMatchObject({ ok: true });
  });
});

describe("with the triggers disabled, audit verify reports", () => {
  beforeEach(async () => {
    for (const table of ["stops", "audit_entries", "audit_heads"]) {
      await database.admin.unsafe(`alter table countersign.${table} disable trigger all`);
      await database.admin.unsafe(`delete from countersign.${table}`);
    }
  });

  it.each(["acme", null])(
    "stops of %s that were released, invented, removed or engaged again",
    async (tenantId) => {
      const log = tenantId ?? "";
      const { admin } = database;
      const stop = await stopCalls(store, "*", tenantId);
      expect(await store.verifyAudit(log)).toMatchObject({ ok: true });
      const [row] = await admin`select * from countersign.stops`;

      await admin`update countersign.stops set released_at = now()`;
      expect(await store.verifyAudit(log)).toMatchObject({
        ...{ ok: false, problem: "row" },
        message: expect.stringContaining(`no entry for the release of the stop ${stop.id}`),
      });
      await admin`delete from countersign.stops`;
      expect(await store.verifyAudit(log)).toMatchObject({
        ...{ ok: false, problem: "row", position: 1 },
        message: expect.stringContaining("row is missing"),
      });
      await admin`insert into countersign.stops ${admin({ ...row, id: "stp_invented" })}`;
      expect(await store.verifyAudit(log)).toMatchObject({
        ...{ ok: false, problem: "row" },
        message: expect.stringContaining("no entry for the engaged stop stp_invented"),
      });
      await admin`update countersign.stops set id = ${stop.id}`;
      await releaseCalls(store, stop);
      expect(await store.verifyAudit(log)).toMatchObject({ ok: true });
      await admin`update countersign.stops set released_at = null`;
      expect(await store.verifyAudit(log)).toMatchObject({
        ...{ ok: false, problem: "row", position: 2 },
        message: expect.stringContaining("row is engaged"),
      });
    },
  );

  it.each(["acme", null])(
    "a log that was removed with its head while a stop of %s exists",
    async (tenantId) => {
      const log = tenantId ?? "";
      await stopCalls(store, "*", tenantId);
      for (const table of ["audit_entries", "audit_heads"])
        await database.admin.unsafe(`delete from countersign.${table}`);
      expect(await store.auditedTenants()).toEqual([log]);
      expect(await store.verifyAudit(log)).toMatchObject({ ok: false, problem: "head" });
    },
  );
});
