import type postgres from "postgres";
import { z } from "zod";
import type { Journal } from "../journal.js";
import { type EngineView, readAgentRuns } from "./engine-view.js";
import { unfinishedRow } from "./unfinished.js";

/** The view of the local engine, whose tables are in the product's database. */
export function localEngineView(sql: postgres.Sql, engineUrl: string, journal: Journal): EngineView {
  return {
    agentRuns: readAgentRuns(engineUrl, journal),
    async unfinished() {
      const rows = await sql`
        select 'run' as kind, id, function_id || ' ' || status as status, concat_ws('; ',
            'event ' || left(event, 120),
            'queue: ' || (select string_agg(left(q.step_id, 8) || ' attempt ' || q.attempt || ' generation ' || q.generation, ', ')
              from local_engine.queue_item q where q.run_id = run.id),
            'waits: ' || (select string_agg(w.kind || ' ' || left(w.step_id, 8), ', ')
              from local_engine.wait w where w.run_id = run.id),
            'steps: ' || (select string_agg(left(s.id, 8) || ' ' || s.status, ', ' order by s.position)
              from local_engine.step s where s.run_id = run.id)) as detail
          from local_engine.run where status = 'Running' and function_id !~ '-(relay|canary)$'
            -- Inngest lets what a cancelled run had invoked go on; nobody waits for it, and it ends with its own wait.
            and not exists (select 1 from local_engine.run parent
              where parent.id = split_part(run.correlation_id, '.', 1) and parent.status = 'Cancelled')`;
      return z.array(unfinishedRow).parse([...rows]);
    },
    async pulse() {
      const [row] = await sql`
        select (select count(*) from local_engine.step s join local_engine.run r on r.id = s.run_id
                    where s.status = 'done' and r.function_id !~ '-(relay|canary)$')
          || '/' || (select count(*) from local_engine.run where status <> 'Running' and function_id !~ '-(relay|canary)$') as pulse`;
      return String(row?.pulse);
    },
    async outlook() {
      const [row] = await sql`
        select count(*)::int as queued, min(q.due_at) as next
        from local_engine.queue_item q join local_engine.run r on r.id = q.run_id
        where r.function_id !~ '-(relay|canary)$'`;
      return {
        queued: Number(row?.queued ?? 0),
        next: row?.next === null || row?.next === undefined ? undefined : Number(row.next),
      };
    },
    async skipPauses() {
      await sql`update local_engine.queue_item set due_at = ${Date.now()} where due_at > ${Date.now() + 3000}
        and run_id in (select id from local_engine.run where function_id !~ '-(relay|canary)$')`;
    },
  };
}
