import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freshPostgres, type TestDatabase } from "../support/databases.js";
import { withoutTenantFilters } from "../support/postgres/without-tenant-filters.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

type PostgresDatabase = TestDatabase & { kind: "postgres" };

/** A table without data of any tenant: which runs have ended, and how. */
const ofNoTenant = "ended_runs";

/** Tables whose triggers refuse every change or deletion of rows: append-only.test.ts, stops/tenants.test.ts. */
const isAppendOnly = (table: string) => table.startsWith("audit_") || table === "stops";
/** Tables without a tenant: the one above, and those about the engine and the installation. */
const withoutTenant = [ofNoTenant, "engine_watch", "installation"];

/** The error of the policies. The triggers of the audit log use the same code with another message. */
const refusedByPolicy = { code: "42501", message: expect.stringContaining("row-level security") };

let database: PostgresDatabase;
let tables: string[];

beforeAll(async () => {
  database = await freshPostgres();
  await postgresStore({ client: database.postgres }).migrate();
  const found = await database.admin<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'countersign'::regnamespace and relkind in ('r', 'p') order by relname`;
  tables = found.map(({ name }) => name).filter((name) => !withoutTenant.includes(name));
  // These triggers require real entries, but these tests are about policies.
  await database.admin`alter table countersign.audit_segments disable trigger continues`;
  await database.admin`alter table countersign.audit_heads disable trigger names_entry`;
  await database.admin`alter table countersign.stops disable trigger has_entry`;
  for (const table of tables) {
    for (const tenantId of ["acme", "bolt"]) await database.admin.unsafe(await rowOf(table, tenantId));
  }
});
afterAll(() => database[Symbol.asyncDispose]());

/** The statement that inserts a row of a tenant into any table; the row refers to no other row. */
async function rowOf(table: string, tenantId: string, own = tenantId): Promise<string> {
  const columns = await database.admin<{ name: string; type: string }[]>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = 'countersign' and table_name = ${table} and column_default is null
      and (is_nullable = 'NO' or column_name = 'tenant_id')`;
  const values = columns.map(({ name, type }) => {
    if (name === "tenant_id") return `'${tenantId}'`;
    if (type === "text") return `'${own}-${table}-${name}'`;
    if (type.startsWith("timestamp")) return "now()";
    return { ARRAY: "'{}'", json: "'{}'", jsonb: "'{}'", bigint: "1", integer: "1" }[type] ?? "null";
  });
  const names = columns.map(({ name }) => name);
  // The replica role skips the check of foreign keys; only a superuser may set it.
  return `set session_replication_role = replica;
    insert into countersign.${table} (${names.join(", ")}) values (${values.join(", ")});
    reset session_replication_role`;
}

/** Runs the work as the owner of the tables, with some settings, and rolls everything back. */
async function withSettings<T>(
  settings: Record<string, string>,
  work: (sql: postgres.TransactionSql) => Promise<T>,
  { postgres: client } = database,
): Promise<T> {
  let result: { value: T } | undefined;
  const undone = new Error("undone");
  await client
    .begin(async (sql) => {
      for (const [name, value] of Object.entries(settings))
        await sql`select set_config(${name}, ${value}, true)`;
      result = { value: await work(sql) };
      throw undone;
    })
    .catch((error: unknown) => {
      if (error !== undone) throw error;
    });
  if (!result) throw new Error("unreachable");
  return result.value;
}

const acme = { "countersign.tenant": "acme" };

/** The tenants whose rows a connection sees, by table. */
async function seen(sql: postgres.Sql | postgres.TransactionSql): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {};
  for (const table of tables) {
    const rows = await sql.unsafe<{ tenant: string }[]>(
      `select tenant_id as tenant from countersign.${table} order by tenant_id`,
    );
    all[table] = rows.map(({ tenant }) => tenant);
  }
  return all;
}

const ofEach = (tenants: string[]) => Object.fromEntries(tables.map((table) => [table, tenants]));

it("row-level security binds every table of the schema, and also the tables' owner", async () => {
  const facts = await database.admin`
    select relname as name, relkind as kind, relrowsecurity as enabled, relforcerowsecurity as forced,
      array(select polname::text from pg_policy where polrelid = c.oid order by polname) as policies
    from pg_class c where relnamespace = 'countersign'::regnamespace and relkind not in ('i', 'S')
      and relname <> all(${withoutTenant}) order by relname`;
  expect(tables.length).toBeGreaterThan(10);
  expect([...facts]).toEqual(
    tables.map((name) => ({
      ...{ name, kind: "r", enabled: true, forced: true },
      // Stops for all tenants: tests/stops/tenants.test.ts.
      policies: name === "stops" ? ["of_all_tenants", "own_tenant"] : ["own_tenant"],
    })),
  );
  const [role] = await database.postgres`
    select tableowner as owner, current_user as name, row_security_active('countersign.approvals') as bound
    from pg_tables where schemaname = 'countersign' and tablename = 'approvals'`;
  expect(role).toEqual({ owner: "owner", name: "owner", bound: true });
});

it.each([
  ["engine_watch", "('app', 'canary', now(), 0, now())", "checks = checks"],
  ["installation", "(1, 'secret')", "name_secret = name_secret"],
])("no tenant can read or change %s, and Countersign itself can", async (table, values, change) => {
  await using own = await freshPostgres();
  await postgresStore({ client: own.postgres }).migrate();
  await own.admin.unsafe(`delete from countersign.${table}`);
  const as = (settings: Record<string, string>, statement: string) =>
    withSettings(settings, (sql) => sql.unsafe(statement), own);
  const insert = `insert into countersign.${table} values ${values}`;
  const system = { "countersign.all_tenants": "on" };
  await expect(as(acme, insert)).rejects.toMatchObject(refusedByPolicy);
  expect((await as(system, insert)).count).toBe(1);
  await own.admin.unsafe(insert);
  for (const statement of [
    `select * from countersign.${table}`,
    `update countersign.${table} set ${change}`,
    `delete from countersign.${table}`,
  ]) {
    for (const settings of [acme, {}])
      expect([statement, (await as(settings, statement)).count]).toEqual([statement, 0]);
    expect([statement, (await as(system, statement)).count]).toEqual([statement, 1]);
  }
});

it("every tenant may read ended_runs, and only Countersign itself may change it", async () => {
  const [facts] = await database.admin`
    select relrowsecurity as enabled, relforcerowsecurity as forced from pg_class
    where oid = ${`countersign.${ofNoTenant}`}::regclass`;
  expect(facts).toEqual({ enabled: true, forced: true });
  const columns = await database.admin`
    select column_name as name from information_schema.columns
    where table_schema = 'countersign' and table_name = ${ofNoTenant} order by name`;
  expect(columns.map(({ name }) => name)).toEqual(["cause", "ended_at", "run_id"]);
  await database.admin`insert into countersign.ended_runs values ('ended', 'run_failed', now())`;
  const insert = `insert into countersign.ended_runs values ('mine', 'run_failed', now())`;
  await expect(withSettings(acme, (sql) => sql.unsafe(insert))).rejects.toMatchObject(refusedByPolicy);
  const changes = [
    "update countersign.ended_runs set cause = 'run_cancelled'",
    "delete from countersign.ended_runs",
  ];
  for (const change of changes) {
    expect((await withSettings(acme, (sql) => sql.unsafe(change))).count).toBe(0);
  }
  const runs = await withSettings(acme, (sql) => sql`select run_id as id from countersign.ended_runs`);
  expect([...runs]).toEqual([{ id: "ended" }]);
  const system = { "countersign.all_tenants": "on" };
  await withSettings(system, (sql) => sql.unsafe(insert));
  for (const change of changes) {
    expect((await withSettings(system, (sql) => sql.unsafe(change))).count).toBe(1);
  }
});

describe("a connection that queries without a tenant filter", () => {
  it("sees only the rows of the tenant in its setting", async () => {
    expect(await withSettings(acme, seen)).toEqual(ofEach(["acme"]));
  });

  it("sees the rows of all tenants with Countersign's own setting", async () => {
    expect(await withSettings({ "countersign.all_tenants": "on" }, seen)).toEqual(ofEach(["acme", "bolt"]));
  });

  it.each([
    {},
    { "countersign.tenant": "" },
    { "countersign.tenant": "*" },
    { "countersign.tenant": "on" },
    { "countersign.tenant": "ACME" },
    { "countersign.all_tenants": "acme" },
    { "countersign.all_tenants": "" },
  ])("sees no rows with the settings %o", async (settings: Record<string, string>) => {
    expect(await withSettings(settings, seen)).toEqual(ofEach([]));
  });

  it("changes and deletes only the rows of its tenant", async () => {
    for (const table of tables) {
      if (isAppendOnly(table)) continue;
      const updated = await withSettings(acme, (sql) =>
        sql.unsafe(`update countersign.${table} set tenant_id = tenant_id returning tenant_id`),
      );
      const deleted = await withSettings(acme, (sql) =>
        sql.unsafe(`delete from countersign.${table} returning tenant_id`),
      );
      expect({ table, updated: [...updated], deleted: [...deleted] }).toEqual({
        table,
        updated: [{ tenant_id: "acme" }],
        deleted: [{ tenant_id: "acme" }],
      });
    }
  });

  it("cannot insert rows of another tenant, or move its own rows to it", async () => {
    for (const table of tables) {
      const [, insert = ""] = (await rowOf(table, "bolt", "new")).split(";");
      await expect(
        withSettings(acme, (sql) => sql.unsafe(insert)),
        table,
      ).rejects.toMatchObject(refusedByPolicy);
      if (isAppendOnly(table)) continue;
      const give = `update countersign.${table} set tenant_id = 'bolt'`;
      await expect(
        withSettings(acme, (sql) => sql.unsafe(give)),
        table,
      ).rejects.toMatchObject(refusedByPolicy);
    }
  });
});

describe("the tenant setting of a store verb", () => {
  it("ends with its transaction, even when that fails", async () => {
    await using own = await freshPostgres(1);
    const store = postgresStore({ client: own.postgres });
    await store.migrate();
    const [call] = await proposeCall(store);
    if (!call) throw new Error("unreachable");
    const expectNoSetting = async () => {
      const [row] = await own.postgres`
        select count(*)::int as rows, coalesce(current_setting('countersign.tenant', true), '') as tenant,
          coalesce(current_setting('countersign.all_tenants', true), '') as everything
        from countersign.approvals`;
      expect(row).toEqual({ rows: 0, tenant: "", everything: "" });
    };
    expect(await store.getApproval("acme", call.id)).toMatchObject({ id: call.id });
    await expectNoSetting();
    expect(await store.approvalsOf(call.requestId)).toHaveLength(1);
    await expectNoSetting();
    await expect(store.setPreferences("acme", null as never, { theme: "light" })).rejects.toThrow("23502");
    await expectNoSetting();
  });

  it("overrides a setting of the connection", async () => {
    const connection = { "countersign.all_tenants": "on" };
    const client = postgres(database.url, { max: 1, onnotice: () => {}, connection });
    const store = postgresStore({ client: withoutTenantFilters(client) });
    expect(await store.getThread("zinc", "acme-threads-id")).toBeUndefined();
    expect(await seen(client)).toEqual(ofEach(["acme", "bolt"]));
    await client.end();
  });
});
