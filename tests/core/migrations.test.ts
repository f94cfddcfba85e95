import { expect, it } from "vitest";
import { emptyPostgres } from "../support/databases.js";
import { migrateTo, migrationCount } from "../support/postgres/older-schema.js";
import { postgresStore } from "../support/store.js";

it("an owner without privileges migrates an older database with rows of several tenants", async () => {
  await using database = await emptyPostgres(4);
  await migrateTo(1, database.postgres);
  const sql = database.postgres;
  for (const tenant of ["acme", "bolt"]) {
    await sql`insert into countersign.requests (id, tenant_id, run_id, created_at)
      values (${`req ${tenant}`}, ${tenant}, 'run', now())`;
    await sql`insert into countersign.outbox (request_id, tenant_id, created_at, attempts, next_attempt_at)
      values (${`req ${tenant}`}, ${tenant}, now(), 0, now())`;
  }
  // A migration may change rows of all tenants, so each migration gets access to all of them.
  await sql`create table public.access (to_all text)`;
  await sql`create function public.note() returns trigger language plpgsql as $$ begin
    insert into public.access values (current_setting('countersign.all_tenants', true)); return new; end $$`;
  await sql`create trigger note before insert on drizzle.countersign_migrations for each row execute function public.note()`;

  const store = postgresStore({ client: database.postgres });
  await store.migrate();
  await store.migrate();

  expect((await sql`select to_all from public.access`).map(({ to_all }) => to_all)).toEqual(
    Array(migrationCount - 1).fill("on"),
  );
  // Row-level security binds the owner from now on.
  expect(await sql`select from countersign.requests`).toHaveLength(0);
  const due = await store.takeDueWakeUps(10);
  expect(due.map(({ requestId }) => requestId).sort()).toEqual(["req acme", "req bolt"]);
});
