import { randomUUID } from "node:crypto";
import { channelOf } from "@countersign/policy/internal/policy/rules/rule";
import { storableText } from "@countersign/policy/internal/shared/storable-text";
import { sql } from "drizzle-orm";
import { eventOf } from "../../channel/reported-types.js";
import type { NewAuditEntry, Transaction } from "../database.js";
import { deliveries } from "../schema.js";

/**
 * Writes what the channels must report of a transaction, in the same transaction: one row for each transition and
 * target. Writes nothing for approvals without channels.
 */
export async function writeAnnouncements({
  db,
  now,
  statementNow,
  audited,
  due,
}: Transaction): Promise<void> {
  const rows = deliveriesOf(audited);
  if (rows.length === 0) return;
  const columns = sql.raw("id, tenant_id, approval_id, channel, target, event");
  // One statement for any number of rows. One event has one time: messages about it are recognised by it.
  await db.execute(sql`insert into ${deliveries} (${columns}, occurred_at, next_attempt_at, created_at)
    select ${columns}, ${statementNow}, ${now}, ${now} from json_to_recordset(${JSON.stringify(rows)}::json)
      as given(id text, tenant_id text, approval_id text, channel text, target text, event text)`);
  due.push(...rows.map(({ id }) => id));
}

/** The rows of the messages that are due after some transitions. */
export function deliveriesOf(audited: readonly NewAuditEntry[]) {
  return audited.flatMap((entry) => {
    const event = eventOf(entry.type);
    if (event === undefined || !("notify" in entry)) return [];
    return (entry.notify ?? []).map((target) => ({
      id: `dlv_${randomUUID()}`,
      tenant_id: storableText(entry.tenantId),
      approval_id: entry.approvalId,
      ...partsOf(target),
      event,
    }));
  });
}

/** The channel and the target of an entry such as `slack:#finance`. */
function partsOf(entry: string): { channel: string; target: string | null } {
  const channel = channelOf(entry);
  return { channel, target: entry.length > channel.length ? entry.slice(channel.length + 1) : null };
}
