import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, runSql, smallLog, wholeLog } from "../support/audit-log.js";
import { everyDatabase, freshPostgres, type TestDatabase } from "../support/databases.js";
import type { Store } from "../support/store.js";

const entries = "countersign.audit_entries";
const heads = "countersign.audit_heads";

describe.each(everyDatabase)("the audit log on $name", ({ open }) => {
  let database: TestDatabase;
  let store: Store;

  beforeAll(async () => {
    database = await open();
    store = await openStore(database);
    await smallLog(store, "acme");
  });
  afterAll(() => database[Symbol.asyncDispose]());

  it.each([
    `update ${entries} set type = 'x' where position = 1`,
    `update ${entries} set type = type`,
    `update ${entries} set type = 'x' where false`,
    `delete from ${entries}`,
    `delete from ${entries} where position = 6`,
    `truncate ${entries}`,
    `truncate countersign.requests, ${entries} cascade`,
    `insert into ${entries} select * from ${entries} on conflict (tenant_id, position) do update set type = 'x'`,
    `delete from ${heads}`,
    `truncate ${heads}`,
    `update ${heads} set position = position - 1`,
    `update ${heads} set hash = 'x'`,
    `update ${heads} set tenant_id = tenant_id || 'x'`,
  ])("refuses: %s", async (statement) => {
    const before = await wholeLog(store, "acme");
    await expect(runSql(database, statement)).rejects.toMatchObject({ code: "42501" });
    expect(await wholeLog(store, "acme")).toEqual(before);
    expect(await store.verifyAudit("acme")).toMatchObject({ ok: true, entries: 6 });
  });
});

it("the audit log stays append-only in a session that disables ordinary triggers", async () => {
  await using database = await freshPostgres(1);
  const store = await openStore(database);
  await smallLog(store, "acme");
  await runSql(database, "set session_replication_role = replica");
  await expect(runSql(database, `delete from ${entries}`)).rejects.toMatchObject({ code: "42501" });
  await expect(runSql(database, `delete from ${heads}`)).rejects.toMatchObject({ code: "42501" });
  await expect(runSql(database, `update ${heads} set position = 1`)).rejects.toMatchObject({ code: "42501" });
});

it.each(["append-only.sql", "row-level-security.sql", "uncounted-calls.sql", "counted-hours.sql"])(
  "the migrations contain the current text of %s",
  (file) => {
    const source = new URL(`../../packages/countersign/src/store/${file}`, import.meta.url);
    const folder = new URL("../../drizzle/countersign/", import.meta.url);
    const migrations = readdirSync(folder).filter((name) => name.endsWith(".sql"));
    const texts = migrations.map((name) => readFileSync(new URL(name, folder), "utf8"));
    const hint = "run: npm run db:generate -w packages/countersign";
    expect(texts.includes(readFileSync(source, "utf8")), hint).toBe(true);
  },
);
