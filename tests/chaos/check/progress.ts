import type postgres from "postgres";
import { z } from "zod";
import { rowsIfReachable } from "../rows-if-reachable.js";
import type { EngineView } from "../world/engine-view.js";
import { type Unfinished, unfinishedRow } from "../world/unfinished.js";

/** Everything unfinished in the product's tables and in the engine. */
export async function unfinished(sql: postgres.Sql, engine: EngineView): Promise<Unfinished[]> {
  const rows = await sql`
    select 'request' as kind, id, 'not settled' as status, 'run ' || run_id as detail
      from countersign.requests where settled_at is null and exists (
        select 1 from countersign.approvals a where a.request_id = requests.id and a.announced_at is not null)
    union all
    select 'approval', id, status, 'request ' || request_id || ', run ' || run_id || ', ' || tool_name || ' ' || input_json
      from countersign.approvals where status in ('proposed', 'pending', 'approved', 'executing')
    union all
    select 'wake-up', request_id, 'in the outbox', attempts || ' attempts' from countersign.outbox
    union all
    select 'delivery', id, state, channel || ' about ' || approval_id || ', ' || event || ', ' || attempts || ' attempts: '
      || coalesce(last_error, 'no error') from countersign.deliveries where state = 'due'`;
  return [...(await engine.unfinished()), ...z.array(unfinishedRow).parse([...rows])];
}

/** A text that changes with any progress: new audit entries, processed wake-ups, and moving runs. */
export async function pulse(sql: postgres.Sql, engine: EngineView): Promise<string> {
  const [row] = await sql`
    select (select coalesce(sum(position), 0) from countersign.audit_heads)
      || '/' || (select count(*) from countersign.outbox)
      || '/' || (select count(*) filter (where state <> 'due') || ':' || coalesce(sum(sent_version), 0)
          from countersign.deliveries) as pulse`;
  return `${row?.pulse}/${await engine.pulse()}`;
}

/** What will still happen by itself: the queued work of the engine, and the milliseconds until the next retry. */
export async function outlook(
  sql: postgres.Sql,
  engine: EngineView,
): Promise<{ queued: number; nextMs: number }> {
  const [row] = await sql`
    select min(extract(epoch from at) * 1000) as next from (
      select next_attempt_at as at from countersign.outbox
      union all
      -- The relay starts an undo whose start got lost, half a minute after somebody has asked for it.
      select created_at + interval '31 seconds' from countersign.approvals
        where terms ->> 'undoes' is not null and status in ('proposed', 'pending', 'approved')
          and created_at + interval '31 seconds' > now()
      union all
      select greatest(next_attempt_at, leased_until) from countersign.deliveries where state = 'due') as tried`;
  const { queued, next } = await engine.outlook();
  const times = [row?.next, next].flatMap((at) => (at === null || at === undefined ? [] : [Number(at)]));
  return { queued, nextMs: times.length === 0 ? 0 : Math.round(Math.min(...times) - Date.now()) };
}

/**
 * Seconds that a lease of a minute still has when its process must have died: once all heals, every attempt ends within
 * moments.
 */
const leftOfLease = 48;

/** Makes engine and relay retry now what they have put off for minutes after many failures. */
export async function skipPauses(sql: postgres.Sql, engine: EngineView): Promise<void> {
  await engine.skipPauses().catch(() => {});
  await rowsIfReachable(sql`update countersign.outbox set next_attempt_at = now()
    where next_attempt_at > now() + interval '3 seconds'`);
  // This also repeats what has been due for longer, which the relay does not report every time.
  await rowsIfReachable(sql`update countersign.deliveries set
      next_attempt_at = case when next_attempt_at > now() - interval '15 seconds' then least(next_attempt_at, now()) else now() end,
      leased_until = case when leased_until < now() + ${leftOfLease} * interval '1 second' then now() else leased_until end
    where state = 'due'`);
}
