import type postgres from "postgres";

/** Has every hour that is over summed up, however few calls it has. */
export async function sumUpAllHours(admin: postgres.Sql): Promise<void> {
  const [found] = await admin<{ text: string }[]>`
    select pg_get_functiondef('countersign.count_in_turn'::regproc) as text`;
  const text = found?.text ?? "";
  const changed = text.replace("few constant int := 100", "few constant int := 0");
  if (changed === text) throw new Error("the function names no number of calls");
  await admin.unsafe(changed);
}

/** How many sums stand, and those that are not what their calls amount to: all of one moment. */
export async function checkHours(admin: postgres.Sql): Promise<{ stand: number; wrong: object[] }> {
  const rows = await admin`
    select h.*, c.amount as calls, c.last as "lastOfCalls"
    from (
      select tenant_id, counter, hour, max(amount) as amount, max(last_position) as last
      from countersign.counted_hours group by 1, 2, 3 having count(*) = 1 and count(amount) = 1
    ) h left join lateral (
      select coalesce(sum(amount), 0) as amount, max(position) as last from countersign.counted_calls
      where tenant_id = h.tenant_id and counter = h.counter and counts
        and at >= h.hour and at < h.hour + interval '1 hour'
    ) c on true`;
  const wrong = rows.filter(
    ({ amount, last, calls, lastOfCalls }) => amount !== calls || last !== lastOfCalls,
  );
  return { stand: rows.length, wrong };
}
