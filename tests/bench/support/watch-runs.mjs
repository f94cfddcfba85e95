/**
 * Counts the runs and steps of the local engine as they are stored, because an ended run leaves no steps. `take` returns
 * what was added since the last time, apart for the relay, which runs every minute whatever else happens.
 *
 * @param {import("postgres").Sql} sql
 */
export async function watchRuns(sql) {
  await sql.unsafe(`
    create table public.seen_run (id text, is_relay boolean);
    create table public.seen_step (run_id text, id text);
    create function public.see_run() returns trigger language plpgsql as
      $$ begin insert into public.seen_run values (new.id, new.function_id like '%-relay'); return null; end $$;
    create function public.see_step() returns trigger language plpgsql as
      $$ begin insert into public.seen_step values (new.run_id, new.id); return null; end $$;
    create trigger seen after insert on local_engine.run for each row execute function public.see_run();
    create trigger seen after insert on local_engine.step for each row execute function public.see_step()`);
  return {
    async take() {
      const [row] = await sql`
        select (select count(*) from public.seen_run where not is_relay)::int as runs,
          (select count(*) from public.seen_run where is_relay)::int as relay_runs,
          count(*) filter (where not is_relay)::int as steps, count(*) filter (where is_relay)::int as relay_steps
        from public.seen_step join public.seen_run on seen_run.id = seen_step.run_id`;
      await sql`truncate public.seen_run, public.seen_step`;
      return {
        turns: { runs: Number(row?.runs), steps: Number(row?.steps) },
        relay: { runs: Number(row?.relay_runs), steps: Number(row?.relay_steps) },
      };
    },
  };
}
