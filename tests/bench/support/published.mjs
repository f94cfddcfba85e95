import { setTimeout as sleep } from "node:timers/promises";

/**
 * Resolves when the events of all calls that have ended are sent.
 *
 * @param {import("postgres").Sql} sql
 */
export async function untilPublished(sql) {
  for (;;) {
    const [row] = await sql.begin(async (tx) => {
      await tx`select set_config('countersign.all_tenants', 'on', true)`;
      return tx`select count(*)::int as unsent from countersign.audit_entries entry
        join countersign.audit_heads head using (tenant_id)
        where entry.position > head.published_position and entry.type = 'approval.executed'`;
    });
    if (row?.unsent === 0) return;
    await sleep(5);
  }
}
