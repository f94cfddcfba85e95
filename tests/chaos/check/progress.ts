import type postgres from "postgres";
import { z } from "zod";

const stuckRow = z.object({
  kind: z.string(),
  id: z.string(),
  status: z.string(),
  detail: z.string().nullable(),
});

/** Something that has not ended: a run, a request, an approval, a wake-up in the outbox. */
export type Unfinished = z.infer<typeof stuckRow>;

/** What has not come to its end, over the product's tables and the engine's. */
export async function unfinished(sql: postgres.Sql): Promise<Unfinished[]> {
  const rows = await sql`
    select 'run' as kind, id, function_id || ' ' || status as status, concat_ws('; ',
        'event ' || left(event, 120),
        'queue: ' || (select string_agg(left(q.step_id, 8) || ' attempt ' || q.attempt || ' generation ' || q.generation, ', ')
          from local_engine.queue_item q where q.run_id = run.id),
        'waits: ' || (select string_agg(w.kind || ' ' || left(w.step_id, 8), ', ')
          from local_engine.wait w where w.run_id = run.id),
        'steps: ' || (select string_agg(left(s.id, 8) || ' ' || s.status, ', ' order by s.position)
          from local_engine.step s where s.run_id = run.id)) as detail
      from local_engine.run where status = 'Running' and function_id not like '%relay'
        -- Inngest lets what a cancelled run had invoked go on; nobody waits for it, and it ends with its own wait.
        and not exists (select 1 from local_engine.run parent
          where parent.id = split_part(run.correlation_id, '.', 1) and parent.status = 'Cancelled')
    union all
    select 'request', id, 'not settled', 'run ' || run_id
      from countersign.requests where settled_at is null and exists (
        select 1 from countersign.approvals a where a.request_id = requests.id and a.announced_at is not null)
    union all
    select 'approval', id, status, 'request ' || request_id || ', run ' || run_id || ', ' || tool_name || ' ' || input_json
      from countersign.approvals where status in ('proposed', 'pending', 'approved', 'executing')
    union all
    select 'wake-up', request_id, 'in the outbox', attempts || ' attempts' from countersign.outbox`;
  return z.array(stuckRow).parse([...rows]);
}

/** A number that changes whenever anything has moved: steps done, entries written, work queued. */
export async function pulse(sql: postgres.Sql): Promise<string> {
  const [row] = await sql`
    select (select count(*) from local_engine.step s join local_engine.run r on r.id = s.run_id
                where s.status = 'done' and r.function_id not like '%relay')
      || '/' || (select coalesce(sum(position), 0) from countersign.audit_heads)
      || '/' || (select count(*) from local_engine.run where status <> 'Running' and function_id not like '%relay')
      || '/' || (select count(*) from countersign.outbox) as pulse`;
  return String(row?.pulse);
}

/** What is still to happen by itself: how much the engine has to do, and in how many milliseconds somebody tries again. */
export async function outlook(sql: postgres.Sql): Promise<{ queued: number; nextMs: number }> {
  const [row] = await sql`
    select
      (select count(*)::int from local_engine.queue_item q join local_engine.run r on r.id = q.run_id
        where r.function_id not like '%relay') as queued,
      least(
        (select min(q.due_at) from local_engine.queue_item q join local_engine.run r on r.id = q.run_id
          where r.function_id not like '%relay'),
        (select min(extract(epoch from next_attempt_at) * 1000) from countersign.outbox)) as next`;
  const next = row?.next === null || row?.next === undefined ? 0 : Number(row.next) - Date.now();
  return { queued: Number(row?.queued ?? 0), nextMs: Math.round(next) };
}
