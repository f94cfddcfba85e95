import type postgres from "postgres";

/**
 * Makes clock_timestamp() and statement_timestamp(), which the product calls in pg_catalog, return the time of a table. However slow the machine is, acts then happen at
 * exactly the times that a test sets with the returned function.
 */
export async function stopClock(admin: postgres.Sql): Promise<(at: Date) => Promise<void>> {
  await admin.unsafe(`
    create table public.stopped_clock (at timestamptz not null);
    insert into public.stopped_clock values (now());
    set allow_system_table_mods = on;
    alter function pg_catalog.clock_timestamp() rename to real_clock_timestamp;
    create function pg_catalog.clock_timestamp() returns timestamptz language sql volatile security definer
      as 'select at from public.stopped_clock';
    alter function pg_catalog.statement_timestamp() rename to real_statement_timestamp;
    create function pg_catalog.statement_timestamp() returns timestamptz language sql stable security definer
      as 'select at from public.stopped_clock';
    reset allow_system_table_mods;`);
  return async (at) => {
    await admin`update public.stopped_clock set at = ${at}`;
  };
}
